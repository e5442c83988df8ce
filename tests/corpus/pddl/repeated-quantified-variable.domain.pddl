(define (domain d)
  (:types t)
  (:predicates (p ?x - t))
  (:action a
    :precondition (forall (?x ?x - t) (p ?x))
    :effect (and)))
; expect 5:31 the variable '?x' is repeated in this list
