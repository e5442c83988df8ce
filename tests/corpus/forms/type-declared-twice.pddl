(define (domain t)
  (:requirements :typing)
  (:types a b - object a - object c - a)
  (:predicates (p ?x - a))
  (:action m
    :parameters (?x - a)
    :effect (p ?x)))
;; problem
(define (problem t1) (:domain t)
  (:objects x - c y - b)
  (:init)
  (:goal (p x)))
; cost 1
