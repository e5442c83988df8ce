; Lorries within towns, planes between them; each kind of step has its price.
(define (domain parcels)
  (:requirements :strips :typing :action-costs)
  (:types
    spot town thing - object
    airfield - spot
    parcel vehicle - thing
    lorry plane - vehicle)
  (:predicates (at ?x - thing ?s - spot) (inside ?p - parcel ?v - vehicle) (of ?s - spot ?t - town))
  (:functions (total-cost) - number)
  (:action load
    :parameters (?p - parcel ?v - vehicle ?s - spot)
    :precondition (and (at ?p ?s) (at ?v ?s))
    :effect (and (inside ?p ?v) (not (at ?p ?s)) (increase (total-cost) 1)))
  (:action unload
    :parameters (?p - parcel ?v - vehicle ?s - spot)
    :precondition (and (inside ?p ?v) (at ?v ?s))
    :effect (and (at ?p ?s) (not (inside ?p ?v)) (increase (total-cost) 1)))
  (:action drive
    :parameters (?l - lorry ?from ?to - spot ?t - town)
    :precondition (and (at ?l ?from) (of ?from ?t) (of ?to ?t))
    :effect (and (at ?l ?to) (not (at ?l ?from)) (increase (total-cost) 2)))
  (:action fly
    :parameters (?a - plane ?from ?to - airfield)
    :precondition (at ?a ?from)
    :effect (and (at ?a ?to) (not (at ?a ?from)) (increase (total-cost) 5))))
