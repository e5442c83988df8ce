(define (domain o)
  (:requirements :typing)
  (:types object a - object b)
  (:predicates (p ?x - a))
  (:action m
    :parameters (?x - a)
    :precondition (not (p ?x))
    :effect (p ?x)))
;; problem
(define (problem o1) (:domain o)
  (:objects x - a y - b)
  (:init)
  (:goal (p x)))
; cost 1
