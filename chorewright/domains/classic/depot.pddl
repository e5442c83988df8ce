;; Hoists stack crates on pallets, trucks carry them between depots.
(define (domain depot)
  (:requirements :strips :typing :negative-preconditions :equality)
  (:types place truck hoist surface - object pallet crate - surface)
  (:predicates
    (stands-at ?s - surface ?p - place)
    (truck-at ?t - truck ?p - place)
    (hoist-at ?h - hoist ?p - place)
    (on ?c - crate ?s - surface)
    (clear ?s - surface)
    (in ?c - crate ?t - truck)
    (lifts ?h - hoist ?c - crate)
    (available ?h - hoist))
  (:action drive
    :parameters (?t - truck ?from ?to - place)
    :precondition (and (truck-at ?t ?from) (not (= ?from ?to)))
    :effect (and (truck-at ?t ?to) (not (truck-at ?t ?from))))
  (:action lift
    :parameters (?h - hoist ?c - crate ?s - surface ?p - place)
    :precondition (and (hoist-at ?h ?p) (available ?h) (stands-at ?c ?p) (on ?c ?s) (clear ?c))
    :effect (and (lifts ?h ?c) (clear ?s) (not (on ?c ?s)) (not (clear ?c)) (not (available ?h))
      (not (stands-at ?c ?p))))
  (:action drop
    :parameters (?h - hoist ?c - crate ?s - surface ?p - place)
    :precondition (and (hoist-at ?h ?p) (lifts ?h ?c) (stands-at ?s ?p) (clear ?s))
    :effect (and (on ?c ?s) (clear ?c) (stands-at ?c ?p) (available ?h) (not (clear ?s)) (not (lifts ?h ?c))))
  (:action load
    :parameters (?h - hoist ?c - crate ?t - truck ?p - place)
    :precondition (and (hoist-at ?h ?p) (lifts ?h ?c) (truck-at ?t ?p))
    :effect (and (in ?c ?t) (available ?h) (not (lifts ?h ?c))))
  (:action unload
    :parameters (?h - hoist ?c - crate ?t - truck ?p - place)
    :precondition (and (hoist-at ?h ?p) (available ?h) (in ?c ?t) (truck-at ?t ?p))
    :effect (and (lifts ?h ?c) (not (in ?c ?t)) (not (available ?h)))))
