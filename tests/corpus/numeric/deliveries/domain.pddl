(define (domain deliveries)
  (:requirements :typing :numeric-fluents)
  (:types van parcel place - object)
  (:predicates (at ?v - van ?p - place) (road ?a ?b - place) (lies ?x - parcel ?p - place) (in ?x - parcel ?v - van)
    (pump ?p - place))
  (:functions (fuel ?v - van) (tank ?v - van) (far ?a ?b - place) (load ?v - van) (strength ?v - van)
    (weight ?x - parcel) (spent))
  (:action drive
    :parameters (?v - van ?a ?b - place)
    :precondition (and (at ?v ?a) (road ?a ?b) (>= (fuel ?v) (far ?a ?b)))
    :effect (and (not (at ?v ?a)) (at ?v ?b) (decrease (fuel ?v) (far ?a ?b)) (increase (spent) (far ?a ?b))))
  (:action fill
    :parameters (?v - van ?p - place)
    :precondition (and (at ?v ?p) (pump ?p) (< (fuel ?v) (tank ?v)))
    :effect (and (assign (fuel ?v) (tank ?v)) (increase (spent) 1)))
  (:action take
    :parameters (?x - parcel ?v - van ?p - place)
    :precondition (and (at ?v ?p) (lies ?x ?p) (<= (+ (load ?v) (weight ?x)) (strength ?v)))
    :effect (and (not (lies ?x ?p)) (in ?x ?v) (increase (load ?v) (weight ?x))))
  (:action leave
    :parameters (?x - parcel ?v - van ?p - place)
    :precondition (and (at ?v ?p) (in ?x ?v))
    :effect (and (lies ?x ?p) (not (in ?x ?v)) (decrease (load ?v) (weight ?x)))))
