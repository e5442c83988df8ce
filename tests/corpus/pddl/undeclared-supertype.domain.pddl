(define (domain d)
  (:types apple - frut fruit)
  (:predicates (p)))
; expect 2:19 the type 'frut' is not declared | did you mean 'fruit'?
