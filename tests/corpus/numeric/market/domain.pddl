(define (domain market)
  (:requirements :typing :numeric-fluents :conditional-effects)
  (:types stall good - object)
  (:predicates (at ?s - stall) (path ?a ?b - stall) (member))
  (:functions (price ?g - good ?s - stall) (stock ?g - good ?s - stall) (owned ?g - good) (cash) (toll ?a ?b - stall))
  (:action walk
    :parameters (?a ?b - stall)
    :precondition (and (at ?a) (path ?a ?b) (>= (cash) (toll ?a ?b)))
    :effect (and (not (at ?a)) (at ?b) (decrease (cash) (toll ?a ?b))))
  (:action buy
    :parameters (?g - good ?s - stall)
    :precondition (and (at ?s) (>= (stock ?g ?s) 1) (>= (cash) (price ?g ?s)))
    :effect (and (decrease (stock ?g ?s) 1) (increase (owned ?g) 1) (decrease (cash) (price ?g ?s))))
  (:action sell
    :parameters (?g - good ?s - stall)
    :precondition (and (at ?s) (>= (owned ?g) 1))
    :effect (and (increase (stock ?g ?s) 1) (decrease (owned ?g) 1) (increase (cash) (* 0.8 (price ?g ?s)))
      (when (member) (increase (cash) 0.5))))
  (:action join
    :parameters (?s - stall)
    :precondition (and (at ?s) (not (member)) (>= (cash) 3))
    :effect (and (member) (decrease (cash) 3))))
