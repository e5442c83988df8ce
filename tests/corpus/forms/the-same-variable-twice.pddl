(define (domain c)
  (:requirements :adl)
  (:predicates (p ?x ?y) (q ?x))
  (:action m
    :parameters (?x ?x)
    :precondition (p ?x ?x)
    :effect (q ?x)))
;; problem
(define (problem c1) (:domain c)
  (:objects x y)
  (:init (p x y) (p y y))
  (:goal (q y)))
; domain 5:21 the variable '?x' is repeated in the parameters of action 'm'
