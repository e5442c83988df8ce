;; Tiles slide into the gap of a board.
(define (domain tiles)
  (:requirements :strips :typing)
  (:types cell tile)
  (:predicates
    (beside ?a ?b - cell)
    (at ?t - tile ?c - cell)
    (gap ?c - cell))
  (:action slide
    :parameters (?t - tile ?from ?to - cell)
    :precondition (and (at ?t ?from) (gap ?to) (beside ?from ?to))
    :effect (and (at ?t ?to) (gap ?from) (not (at ?t ?from)) (not (gap ?to)))))
