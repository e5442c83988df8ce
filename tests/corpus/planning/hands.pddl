; A robot with several hands carries balls between rooms.
(define (domain hands)
  (:requirements :strips :typing)
  (:types room ball hand)
  (:predicates (robot-in ?r - room) (lies ?b - ball ?r - room) (holds ?h - hand ?b - ball) (empty ?h - hand))
  (:action walk
    :parameters (?from ?to - room)
    :precondition (robot-in ?from)
    :effect (and (robot-in ?to) (not (robot-in ?from))))
  (:action grasp
    :parameters (?b - ball ?r - room ?h - hand)
    :precondition (and (lies ?b ?r) (robot-in ?r) (empty ?h))
    :effect (and (holds ?h ?b) (not (lies ?b ?r)) (not (empty ?h))))
  (:action release
    :parameters (?b - ball ?r - room ?h - hand)
    :precondition (and (holds ?h ?b) (robot-in ?r))
    :effect (and (lies ?b ?r) (empty ?h) (not (holds ?h ?b)))))
