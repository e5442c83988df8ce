(define (domain t)
  (:requirements :action-costs)
  (:predicates (g ?x))
  (:functions (total-cost) - number)
  (:action m
    :parameters (?x)
    :effect (and (g ?x) (increase (total-cost) 5))))
;; problem
(define (problem t1) (:domain t)
  (:objects a b)
  (:init)
  (:goal (g a))
  (:metric minimize (total-cost)))
; cost 5
