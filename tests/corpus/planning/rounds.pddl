; Visit places; the roads differ in length, and some are free.
(define (domain rounds)
  (:requirements :typing :action-costs)
  (:types place - object)
  (:predicates (here ?p - place) (road ?p ?q - place) (seen ?p - place))
  (:functions (total-cost) - number (length ?p ?q - place) - number)
  (:action go
    :parameters (?p ?q - place)
    :precondition (and (here ?p) (road ?p ?q))
    :effect (and (here ?q) (seen ?q) (not (here ?p)) (increase (total-cost) (length ?p ?q)))))
