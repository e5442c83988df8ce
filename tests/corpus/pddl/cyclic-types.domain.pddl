(define (domain d)
  (:types a - b
          b - c
          c - a
          x y)
  (:predicates (p)))
; expect 2:11 the type 'a' is a subtype of itself: a - b - c - a
