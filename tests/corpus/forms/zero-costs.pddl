(define (domain t)
  (:requirements :action-costs)
  (:predicates (g ?x) (h ?x))
  (:functions (total-cost) - number)
  (:action m
    :parameters (?x)
    :effect (and (g ?x) (increase (total-cost) 0)))
  (:action n
    :parameters (?x)
    :precondition (g ?x)
    :effect (and (h ?x) (increase (total-cost) 0))))
;; problem
(define (problem t1) (:domain t)
  (:objects a b)
  (:init (= (total-cost) 0))
  (:goal (and (h a) (h b)))
  (:metric minimize (total-cost)))
; cost 0
