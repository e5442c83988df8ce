(define (domain t)
  (:requirements :action-costs)
  (:predicates (g ?x))
  (:functions (total-cost) - number (c ?x) - number)
  (:action m
    :parameters (?x)
    :effect (and (g ?x) (increase (total-cost) (c ?x)))))
;; problem
(define (problem t1) (:domain t)
  (:objects a b)
  (:init (= (c a) 4) (= (total-cost) 0))
  (:goal (g a))
  (:metric minimize (total-cost)))
; cost 4
