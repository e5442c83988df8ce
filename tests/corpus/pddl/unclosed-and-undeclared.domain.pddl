(define (domain d)
  (:predicates (p))
  (:action a
    :precondition (and (p)
    :effect (p))
  (:action b
    :effect (qq)))
; expect 4:19 '(and' is not closed
; expect 7:14 the predicate 'qq' is not declared
