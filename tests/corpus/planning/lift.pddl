; A lift and its passengers, with negative preconditions and prices by distance.
(define (domain lift)
  (:requirements :typing :negative-preconditions :action-costs)
  (:types passenger floor)
  (:predicates (waits ?p - passenger ?f - floor) (wants ?p - passenger ?f - floor) (rides ?p - passenger)
    (served ?p - passenger) (stands ?f - floor))
  (:functions (total-cost) - number (travel ?f ?g - floor) - number)
  (:action board
    :parameters (?p - passenger ?f - floor)
    :precondition (and (stands ?f) (waits ?p ?f) (not (rides ?p)) (not (served ?p)))
    :effect (and (rides ?p) (increase (total-cost) 1)))
  (:action leave
    :parameters (?p - passenger ?f - floor)
    :precondition (and (stands ?f) (wants ?p ?f) (rides ?p))
    :effect (and (served ?p) (not (rides ?p)) (increase (total-cost) 1)))
  (:action ride
    :parameters (?f ?g - floor)
    :precondition (and (stands ?f) (not (stands ?g)))
    :effect (and (stands ?g) (not (stands ?f)) (increase (total-cost) (travel ?f ?g)))))
