; Blocks that are piled up by one hand.
(define (domain stacks)
  (:requirements :strips)
  (:predicates (above ?x ?y) (low ?x) (top ?x) (held ?x) (free))
  (:action take
    :parameters (?x)
    :precondition (and (top ?x) (low ?x) (free))
    :effect (and (held ?x) (not (top ?x)) (not (low ?x)) (not (free))))
  (:action lay
    :parameters (?x)
    :precondition (held ?x)
    :effect (and (low ?x) (top ?x) (free) (not (held ?x))))
  (:action pile
    :parameters (?x ?y)
    :precondition (and (held ?x) (top ?y))
    :effect (and (above ?x ?y) (top ?x) (free) (not (held ?x)) (not (top ?y))))
  (:action lift
    :parameters (?x ?y)
    :precondition (and (above ?x ?y) (top ?x) (free))
    :effect (and (held ?x) (top ?y) (not (above ?x ?y)) (not (top ?x)) (not (free)))))
