(define (domain d)
  (:predicates (p ?x) (q ?x))
  (:derived (q ?x) (p ?x))
  (:action a
    :parameters (?x)
    :effect (and (not (p ?x)) (q ?x))))
; expect 6:32 'q' is derived by an axiom, so no action can change it
