;; A ferry carries one car at a time between ports.
(define (domain ferry)
  (:requirements :strips :typing :negative-preconditions :equality)
  (:types port car)
  (:predicates
    (ferry-at ?p - port)
    (at ?c - car ?p - port)
    (aboard ?c - car)
    (ferry-empty))
  (:action sail
    :parameters (?from ?to - port)
    :precondition (and (ferry-at ?from) (not (= ?from ?to)))
    :effect (and (ferry-at ?to) (not (ferry-at ?from))))
  (:action board
    :parameters (?c - car ?p - port)
    :precondition (and (at ?c ?p) (ferry-at ?p) (ferry-empty))
    :effect (and (aboard ?c) (not (at ?c ?p)) (not (ferry-empty))))
  (:action debark
    :parameters (?c - car ?p - port)
    :precondition (and (aboard ?c) (ferry-at ?p))
    :effect (and (at ?c ?p) (ferry-empty) (not (aboard ?c)))))
