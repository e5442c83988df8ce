; Drivers walk on paths and drive on roads.
(define (domain drivers)
  (:requirements :typing)
  (:types driver truck item - locatable locatable spot - object)
  (:predicates (at ?x - locatable ?s - spot) (in ?i - item ?t - truck) (drives ?d - driver ?t - truck)
    (road ?a ?b - spot) (path ?a ?b - spot) (vacant ?t - truck))
  (:action put-in
    :parameters (?i - item ?t - truck ?s - spot)
    :precondition (and (at ?t ?s) (at ?i ?s))
    :effect (and (in ?i ?t) (not (at ?i ?s))))
  (:action put-out
    :parameters (?i - item ?t - truck ?s - spot)
    :precondition (and (at ?t ?s) (in ?i ?t))
    :effect (and (at ?i ?s) (not (in ?i ?t))))
  (:action mount
    :parameters (?d - driver ?t - truck ?s - spot)
    :precondition (and (at ?t ?s) (at ?d ?s) (vacant ?t))
    :effect (and (drives ?d ?t) (not (at ?d ?s)) (not (vacant ?t))))
  (:action dismount
    :parameters (?d - driver ?t - truck ?s - spot)
    :precondition (and (at ?t ?s) (drives ?d ?t))
    :effect (and (at ?d ?s) (vacant ?t) (not (drives ?d ?t))))
  (:action drive
    :parameters (?d - driver ?t - truck ?a ?b - spot)
    :precondition (and (at ?t ?a) (drives ?d ?t) (road ?a ?b))
    :effect (and (at ?t ?b) (not (at ?t ?a))))
  (:action walk
    :parameters (?d - driver ?a ?b - spot)
    :precondition (and (at ?d ?a) (path ?a ?b))
    :effect (and (at ?d ?b) (not (at ?d ?a)))))
