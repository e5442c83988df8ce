(define (domain d)
  (:predicates (p) (q))
  (:action a
    :effect (q))
; expect 1:1 '(define' is not closed: the text ends
