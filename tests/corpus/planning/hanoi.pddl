; Towers of discs; pegs are larger than all of them.
(define (domain hanoi)
  (:requirements :strips)
  (:predicates (bare ?x) (upon ?d ?x) (smaller ?d ?x))
  (:action shift
    :parameters (?d ?from ?to)
    :precondition (and (smaller ?d ?to) (upon ?d ?from) (bare ?d) (bare ?to))
    :effect (and (bare ?from) (upon ?d ?to) (not (upon ?d ?from)) (not (bare ?to)))))
