(define (domain c)
  (:requirements :strips :strips :typing :TYPING :negation :adl)
  (:predicates (p ?x) (q))
  (:action m
    :parameters (?x)
    :precondition (p ?x)
    :effect (q)))
;; problem
(define (problem c1) (:domain c)
  (:requirements :strips :strips)
  (:objects a)
  (:init (p a))
  (:goal (q)))
; cost 1
