; One ferry, one car at a time; no types, and kinds as predicates.
(define (domain ferry)
  (:predicates (bank ?b) (car ?c) (ashore ?c ?b) (aboard ?c) (moored ?b) (empty))
  (:action sail
    :parameters (?from ?to)
    :precondition (and (bank ?from) (bank ?to) (moored ?from))
    :effect (and (moored ?to) (not (moored ?from))))
  (:action board
    :parameters (?c ?b)
    :precondition (and (car ?c) (bank ?b) (ashore ?c ?b) (moored ?b) (empty))
    :effect (and (aboard ?c) (not (ashore ?c ?b)) (not (empty))))
  (:action debark
    :parameters (?c ?b)
    :precondition (and (car ?c) (bank ?b) (aboard ?c) (moored ?b))
    :effect (and (ashore ?c ?b) (empty) (not (aboard ?c)))))
