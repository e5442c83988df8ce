(define (domain d)
  (:types a)
  (:predicates (p ?x - (either)) (q ?x - )))
; expect 3:24 a type is expected here, not '(either)'
; expect 3:40 a type is missing after '-'
