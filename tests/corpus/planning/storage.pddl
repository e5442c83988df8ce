; Hoists move crates from trays into a depot; types are several deep, and one is declared twice.
(define (domain storage)
  (:requirements :typing)
  (:types
    hoist surface place area - object
    container depot - place
    depot-area tray transit - area
    store-area - depot-area
    area crate - surface)
  (:predicates (clear ?a - area) (part ?a - area ?p - place) (at ?h - hoist ?a - area) (on ?c - crate ?a - area)
    (in ?c - crate ?p - place) (lifting ?h - hoist ?c - crate) (idle ?h - hoist) (joins ?a ?b - area))
  (:action lift
    :parameters (?h - hoist ?c - crate ?a ?b - area ?p - place)
    :precondition (and (joins ?a ?b) (idle ?h) (at ?h ?b) (on ?c ?a) (part ?a ?p))
    :effect (and (not (on ?c ?a)) (clear ?a) (not (idle ?h)) (lifting ?h ?c) (not (in ?c ?p))))
  (:action drop
    :parameters (?h - hoist ?c - crate ?a ?b - area ?p - place)
    :precondition (and (joins ?a ?b) (lifting ?h ?c) (at ?h ?b) (clear ?a) (part ?a ?p))
    :effect (and (not (lifting ?h ?c)) (idle ?h) (on ?c ?a) (not (clear ?a)) (in ?c ?p)))
  (:action move
    :parameters (?h - hoist ?a ?b - area)
    :precondition (and (at ?h ?a) (clear ?b) (joins ?a ?b))
    :effect (and (not (at ?h ?a)) (at ?h ?b) (not (clear ?b)) (clear ?a))))
