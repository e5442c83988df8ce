(define (domain d)
  (:predicates (p) (q))
  (:action a
    :precondition (and (p)))
    :effect (q)))
; expect 4:28 this ')' closes '(:action' of line 3, but ':effect' follows | remove a ')' here or before
