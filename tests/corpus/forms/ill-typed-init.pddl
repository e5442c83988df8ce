(define (domain c)
  (:requirements :typing)
  (:types ball room)
  (:predicates (carry ?b - ball)  (ok))
  (:action pick
    :parameters (?b - ball)
    :effect (carry ?b)))
;; problem
(define (problem c1) (:domain c)
  (:objects b1 b2 - ball r1 r2 - room)
  (:init (carry r1))
  (:goal (carry b1)))
; problem 3:17 'r1' is a room, but 'carry' takes a ball here
