(define (domain counters)
  (:requirements :typing :numeric-fluents)
  (:types counter - object)
  (:functions (value ?c - counter) (limit))
  (:action up
    :parameters (?c - counter)
    :precondition (<= (+ (value ?c) 1) (limit))
    :effect (increase (value ?c) 1))
  (:action down
    :parameters (?c - counter)
    :precondition (>= (value ?c) 1)
    :effect (decrease (value ?c) 1)))
