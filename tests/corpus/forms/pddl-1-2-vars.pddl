(define (domain c)
  (:requirements :adl)
  (:predicates (p ?x) (q))
  (:action m
    :parameters (?x)
    :vars (?y)
    :precondition (p ?y)
    :effect (q)))
;; problem
(define (problem c1) (:domain c)
  (:objects a)
  (:init (p a))
  (:goal (q)))
; domain 6:5 PDDL 1.2 variables are not supported: ':vars'
