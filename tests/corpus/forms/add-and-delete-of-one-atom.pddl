(define (domain t)
  (:requirements :strips)
  (:predicates (key ?x) (open ?x) (used ?x ?y))
  (:action unlock
    :parameters (?x ?y)
    :precondition (key ?x)
    :effect (and (key ?y) (open ?x) (used ?x ?y) (not (key ?x)))))
;; problem
(define (problem t1) (:domain t)
  (:objects a b)
  (:init (key a))
  (:goal (and (key a) (open a) (used a a))))
; cost 1
