(define (domain c)
  (:requirements :typing)
  (:types truck - vehicle)
  (:predicates (p ?x - vehicle) (q))
  (:action m
    :parameters (?x - truck)
    :precondition (p ?x)
    :effect (q)))
;; problem
(define (problem c1) (:domain c)
  (:objects a - truck)
  (:init (p a))
  (:goal (q)))
; cost 1
