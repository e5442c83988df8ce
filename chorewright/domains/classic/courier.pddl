;; Vans bring parcels from town to town, as far as their fuel and their room go.
(define (domain courier)
  (:requirements :strips :typing :numeric-fluents)
  (:types town van parcel)
  (:predicates
    (road ?a ?b - town)
    (pump ?t - town)
    (van-at ?v - van ?t - town)
    (parcel-at ?p - parcel ?t - town)
    (inside ?p - parcel ?v - van))
  (:functions
    (distance ?a ?b - town)
    (fuel ?v - van)
    (tank ?v - van)
    (room ?v - van))
  (:action drive
    :parameters (?v - van ?from ?to - town)
    :precondition (and (van-at ?v ?from) (road ?from ?to) (>= (fuel ?v) (distance ?from ?to)))
    :effect (and (van-at ?v ?to) (not (van-at ?v ?from)) (decrease (fuel ?v) (distance ?from ?to))))
  (:action refuel
    :parameters (?v - van ?t - town)
    :precondition (and (van-at ?v ?t) (pump ?t) (< (fuel ?v) (tank ?v)))
    :effect (and (assign (fuel ?v) (tank ?v))))
  (:action load
    :parameters (?p - parcel ?v - van ?t - town)
    :precondition (and (parcel-at ?p ?t) (van-at ?v ?t) (>= (room ?v) 1))
    :effect (and (inside ?p ?v) (not (parcel-at ?p ?t)) (decrease (room ?v) 1)))
  (:action unload
    :parameters (?p - parcel ?v - van ?t - town)
    :precondition (and (inside ?p ?v) (van-at ?v ?t))
    :effect (and (parcel-at ?p ?t) (not (inside ?p ?v)) (increase (room ?v) 1))))
