; The sliding puzzle.
(define (domain tiles)
  (:requirements :strips :typing)
  (:types tile place)
  (:predicates (beside ?p ?q - place) (stands ?t - tile ?p - place) (hole ?p - place))
  (:action slide
    :parameters (?t - tile ?p ?q - place)
    :precondition (and (stands ?t ?p) (hole ?q) (beside ?p ?q))
    :effect (and (stands ?t ?q) (hole ?p) (not (stands ?t ?p)) (not (hole ?q)))))
