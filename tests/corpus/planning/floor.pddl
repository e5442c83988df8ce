; Robots paint the floor ahead of them and may not step on paint.
(define (domain floor)
  (:requirements :typing :action-costs)
  (:types robot spot colour - object)
  (:predicates (at ?r - robot ?s - spot) (up ?a ?b - spot) (right ?a ?b - spot) (clear ?s - spot)
    (painted ?s - spot ?c - colour) (has ?r - robot ?c - colour))
  (:functions (total-cost) - number)
  (:action change
    :parameters (?r - robot ?c ?d - colour)
    :precondition (has ?r ?c)
    :effect (and (not (has ?r ?c)) (has ?r ?d) (increase (total-cost) 5)))
  (:action paint-up
    :parameters (?r - robot ?a ?b - spot ?c - colour)
    :precondition (and (has ?r ?c) (at ?r ?b) (up ?a ?b) (clear ?a))
    :effect (and (not (clear ?a)) (painted ?a ?c) (increase (total-cost) 2)))
  (:action paint-down
    :parameters (?r - robot ?a ?b - spot ?c - colour)
    :precondition (and (has ?r ?c) (at ?r ?b) (up ?b ?a) (clear ?a))
    :effect (and (not (clear ?a)) (painted ?a ?c) (increase (total-cost) 2)))
  (:action climb
    :parameters (?r - robot ?a ?b - spot)
    :precondition (and (at ?r ?a) (up ?b ?a) (clear ?b))
    :effect (and (at ?r ?b) (not (at ?r ?a)) (clear ?a) (not (clear ?b)) (increase (total-cost) 3)))
  (:action descend
    :parameters (?r - robot ?a ?b - spot)
    :precondition (and (at ?r ?a) (up ?a ?b) (clear ?b))
    :effect (and (at ?r ?b) (not (at ?r ?a)) (clear ?a) (not (clear ?b)) (increase (total-cost) 1)))
  (:action aside
    :parameters (?r - robot ?a ?b - spot)
    :precondition (and (at ?r ?a) (right ?b ?a) (clear ?b))
    :effect (and (at ?r ?b) (not (at ?r ?a)) (clear ?a) (not (clear ?b)) (increase (total-cost) 1)))
  (:action back
    :parameters (?r - robot ?a ?b - spot)
    :precondition (and (at ?r ?a) (right ?a ?b) (clear ?b))
    :effect (and (at ?r ?b) (not (at ?r ?a)) (clear ?a) (not (clear ?b)) (increase (total-cost) 1))))
