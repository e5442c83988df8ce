(define (domain d)
  (:types a - a)
  (:predicates (p)))
; expect 2:11 the type 'a' is a subtype of itself
