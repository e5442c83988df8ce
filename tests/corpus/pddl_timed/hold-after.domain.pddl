; A trajectory constraint stands in a precondition.
(define (domain d) (:requirements :constraints)
  (:predicates (p))
  (:action a :parameters () :precondition (or (p) (hold-after 5 (p))) :effect (p)))
; expect 4:51 trajectory constraints are not supported: '(hold-after ...' !
