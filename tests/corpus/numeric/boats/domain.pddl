(define (domain boats)
  (:requirements :typing :numeric-fluents :disjunctive-preconditions)
  (:types boat person - object)
  (:predicates (saved ?p - person))
  (:functions (x ?b - boat) (y ?b - boat) (depth ?p - person))
  (:action north-east
    :parameters (?b - boat)
    :effect (and (increase (x ?b) 1.5) (increase (y ?b) 1.5)))
  (:action north-west
    :parameters (?b - boat)
    :effect (and (decrease (x ?b) 1.5) (increase (y ?b) 1.5)))
  (:action east
    :parameters (?b - boat)
    :effect (increase (x ?b) 3))
  (:action west
    :parameters (?b - boat)
    :effect (decrease (x ?b) 3))
  (:action south-west
    :parameters (?b - boat)
    :effect (and (increase (x ?b) 2) (decrease (y ?b) 2)))
  (:action south-east
    :parameters (?b - boat)
    :effect (and (decrease (x ?b) 2) (decrease (y ?b) 2)))
  (:action rescue
    :parameters (?b - boat ?p - person)
    :precondition (and (>= (+ (x ?b) (y ?b)) (depth ?p)) (>= (- (y ?b) (x ?b)) (depth ?p))
      (<= (+ (x ?b) (y ?b)) (+ (depth ?p) 25)) (<= (- (y ?b) (x ?b)) (+ (depth ?p) 25)))
    :effect (saved ?p)))
