(define (domain d)
  (:predicates (p)))
; expect 2:15 a space of an unusual kind (U+00A0) cannot stand here
