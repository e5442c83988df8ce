(define (domain d)
  (:predicates (p))
  (:predicates (q)))
; expect 3:3 ':predicates' occurs twice
