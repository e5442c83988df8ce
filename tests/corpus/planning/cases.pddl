; What lies in a case moves with it, and nested cases with what lies in them.
(define (domain cases)
  (:requirements :strips :typing :equality :conditional-effects :universal-preconditions)
  (:types
    case paper - thing
    thing room - object)
  (:predicates (at ?x - thing ?r - room) (in ?x ?c - thing) (shut ?c - case))
  (:action carry
    :parameters (?c - case ?r ?s - room)
    :precondition (and (at ?c ?r) (not (= ?r ?s)))
    :effect (and (at ?c ?s) (not (at ?c ?r))
      (forall (?x - thing)
        (when (and (in ?x ?c) (not (= ?x ?c)))
          (and (at ?x ?s) (not (at ?x ?r)))))))
  (:action put
    :parameters (?x - thing ?c - case ?r - room)
    :precondition (and (at ?x ?r) (at ?c ?r) (not (shut ?c)) (not (= ?x ?c))
      (forall (?d - case) (and (not (in ?x ?d)) (not (in ?c ?d))))
      (forall (?y - case) (not (in ?y ?x))))
    :effect (in ?x ?c))
  (:action remove
    :parameters (?x - thing ?c - case)
    :precondition (and (in ?x ?c) (not (shut ?c)))
    :effect (not (in ?x ?c)))
  (:action flip
    :parameters (?c - case)
    :precondition (and)
    :effect (and (when (shut ?c) (not (shut ?c))) (when (not (shut ?c)) (shut ?c)))))
