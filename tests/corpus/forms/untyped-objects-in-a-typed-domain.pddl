(define (domain c)
  (:requirements :typing)
  (:types ball)
  (:predicates (p ?x - ball) (q))
  (:action m
    :parameters (?x - ball)
    :precondition (p ?x)
    :effect (q)))
;; problem
(define (problem c1) (:domain c)
  (:objects a b)
  (:init (p a))
  (:goal (q)))
; problem 3:13 'a' is an object, but 'p' takes a ball here
