;; A small domain to start from: a courier carries parcels from house to house.
;; Change it as you like; `chorewright check-domain FOLDER` tells what is wrong.
(define (domain delivery)
  (:requirements :strips :typing :negative-preconditions)
  (:types parcel house)
  (:predicates
    (courier-at ?h - house)
    (at ?p - parcel ?h - house)
    (carried ?p - parcel)
    (hands-free)
    (street ?a ?b - house))

  (:action walk
    :parameters (?from ?to - house)
    :precondition (and (courier-at ?from) (street ?from ?to))
    :effect (and (courier-at ?to) (not (courier-at ?from))))

  (:action pick-up
    :parameters (?p - parcel ?h - house)
    :precondition (and (courier-at ?h) (at ?p ?h) (hands-free))
    :effect (and (carried ?p) (not (at ?p ?h)) (not (hands-free))))

  (:action hand-over
    :parameters (?p - parcel ?h - house)
    :precondition (and (courier-at ?h) (carried ?p))
    :effect (and (at ?p ?h) (hands-free) (not (carried ?p)))))
