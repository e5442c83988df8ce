;; A worker pushes stones over a floor with walls.
(define (domain sokoban)
  (:requirements :strips :typing :negative-preconditions)
  (:types cell direction)
  (:predicates
    (next ?a ?b - cell ?d - direction)
    (worker-on ?c - cell)
    (stone-on ?c - cell))
  (:action walk
    :parameters (?from ?to - cell ?d - direction)
    :precondition (and (worker-on ?from) (next ?from ?to ?d) (not (stone-on ?to)))
    :effect (and (worker-on ?to) (not (worker-on ?from))))
  (:action push
    :parameters (?from ?to ?beyond - cell ?d - direction)
    :precondition (and (worker-on ?from) (next ?from ?to ?d) (next ?to ?beyond ?d) (stone-on ?to)
      (not (stone-on ?beyond)))
    :effect (and (worker-on ?to) (not (worker-on ?from)) (stone-on ?beyond) (not (stone-on ?to)))))
