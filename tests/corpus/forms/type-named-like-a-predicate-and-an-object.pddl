(define (domain c)
  (:requirements :typing)
  (:types ball room)
  (:predicates (ball ?x - ball) (room) (q))
  (:action ball
    :parameters (?ball - ball)
    :precondition (ball ?ball)
    :effect (room)))
;; problem
(define (problem c1) (:domain c)
  (:objects ball - ball room - room)
  (:init (ball ball))
  (:goal (room)))
; cost 1
