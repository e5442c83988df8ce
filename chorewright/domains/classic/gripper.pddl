;; A robot with two hands carries balls from room to room.
(define (domain gripper)
  (:requirements :strips :typing :negative-preconditions :equality)
  (:types room ball hand)
  (:predicates
    (robot-in ?r - room)
    (in ?b - ball ?r - room)
    (free ?h - hand)
    (holds ?h - hand ?b - ball))
  (:action move
    :parameters (?from ?to - room)
    :precondition (and (robot-in ?from) (not (= ?from ?to)))
    :effect (and (robot-in ?to) (not (robot-in ?from))))
  (:action pick
    :parameters (?b - ball ?r - room ?h - hand)
    :precondition (and (in ?b ?r) (robot-in ?r) (free ?h))
    :effect (and (holds ?h ?b) (not (in ?b ?r)) (not (free ?h))))
  (:action drop
    :parameters (?b - ball ?r - room ?h - hand)
    :precondition (and (holds ?h ?b) (robot-in ?r))
    :effect (and (in ?b ?r) (free ?h) (not (holds ?h ?b)))))
