; Philosophers as communicating processes: each step is offered, carried out on a fork's channel, and ended.
; The goal is the deadlock in which each holds one fork, which axioms detect.
(define (domain philosophers)
  (:requirements :adl :derived-predicates)
  (:types process location label channel amount)
  (:predicates (at ?p - process ?l - location) (edge ?l - location ?t - label ?m - location)
    (takes ?t - label) (gives ?t - label) (of ?p - process ?t - label ?c - channel)
    (holds-amount ?c - channel ?n - amount) (up ?n ?m - amount) (empty ?n - amount) (full ?n - amount)
    (resting ?p - process) (chosen ?p - process ?t - label ?m - location)
    (asked ?p - process ?c - channel ?t - label) (answered ?c - channel ?t - label) (calm ?c - channel)
    (can-go ?p - process ?t - label) (stuck ?p - process))
  (:derived (can-go ?p - process ?t - label)
    (exists (?l ?m - location ?c - channel ?n - amount)
      (and (at ?p ?l) (edge ?l ?t ?m) (of ?p ?t ?c) (holds-amount ?c ?n)
        (or (and (takes ?t) (not (empty ?n))) (and (gives ?t) (not (full ?n)))))))
  (:derived (stuck ?p - process)
    (and (resting ?p) (forall (?t - label) (not (can-go ?p ?t)))))
  (:action choose
    :parameters (?p - process ?l ?m - location ?t - label)
    :precondition (and (resting ?p) (at ?p ?l) (edge ?l ?t ?m))
    :effect (and (not (resting ?p)) (chosen ?p ?t ?m)))
  (:action ask
    :parameters (?p - process ?t - label ?m - location ?c - channel)
    :precondition (and (chosen ?p ?t ?m) (of ?p ?t ?c) (calm ?c))
    :effect (and (not (calm ?c)) (asked ?p ?c ?t)))
  (:action take
    :parameters (?p - process ?c - channel ?t - label ?n ?m - amount)
    :precondition (and (asked ?p ?c ?t) (takes ?t) (holds-amount ?c ?m) (up ?n ?m))
    :effect (and (not (asked ?p ?c ?t)) (not (holds-amount ?c ?m)) (holds-amount ?c ?n) (answered ?c ?t)))
  (:action give
    :parameters (?p - process ?c - channel ?t - label ?n ?m - amount)
    :precondition (and (asked ?p ?c ?t) (gives ?t) (holds-amount ?c ?n) (up ?n ?m))
    :effect (and (not (asked ?p ?c ?t)) (not (holds-amount ?c ?n)) (holds-amount ?c ?m) (answered ?c ?t)))
  (:action move
    :parameters (?p - process ?l ?m - location ?t - label ?c - channel)
    :precondition (and (chosen ?p ?t ?m) (at ?p ?l) (of ?p ?t ?c) (answered ?c ?t))
    :effect (and (not (chosen ?p ?t ?m)) (not (at ?p ?l)) (at ?p ?m) (not (answered ?c ?t)) (calm ?c) (resting ?p))))
