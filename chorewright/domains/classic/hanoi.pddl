;; Disks on pegs: one at a time, and never a larger one on a smaller one.
(define (domain hanoi)
  (:requirements :strips :typing)
  (:types peg disk - place)
  (:predicates
    (on ?d - disk ?p - place)
    (clear ?p - place)
    (smaller ?d - disk ?p - place))
  (:action move
    :parameters (?d - disk ?from ?to - place)
    :precondition (and (on ?d ?from) (clear ?d) (clear ?to) (smaller ?d ?to))
    :effect (and (on ?d ?to) (clear ?from) (not (on ?d ?from)) (not (clear ?to)))))
