(define (domain garden)
  (:requirements :typing :numeric-fluents :negative-preconditions)
  (:types agent bed tap - object)
  (:functions (x ?o - object) (y ?o - object) (carried ?a - agent) (most ?a - agent) (poured ?b - bed) (edge))
  (:action go-right
    :parameters (?a - agent)
    :precondition (< (x ?a) (edge))
    :effect (increase (x ?a) 1))
  (:action go-left
    :parameters (?a - agent)
    :precondition (> (x ?a) 0)
    :effect (decrease (x ?a) 1))
  (:action go-up
    :parameters (?a - agent)
    :precondition (< (y ?a) (edge))
    :effect (increase (y ?a) 1))
  (:action go-down
    :parameters (?a - agent)
    :precondition (> (y ?a) 0)
    :effect (decrease (y ?a) 1))
  (:action draw
    :parameters (?a - agent ?t - tap)
    :precondition (and (= (x ?a) (x ?t)) (= (y ?a) (y ?t)) (<= (+ (carried ?a) 1) (most ?a)))
    :effect (increase (carried ?a) 1))
  (:action pour
    :parameters (?a - agent ?b - bed)
    :precondition (and (= (x ?a) (x ?b)) (= (y ?a) (y ?b)) (>= (carried ?a) 1))
    :effect (and (decrease (carried ?a) 1) (increase (poured ?b) 1))))
