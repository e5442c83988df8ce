(define (domain c)
  (:requirements :typing :action-costs)
  (:predicates (p ?x - t) (q))
  (:functions (total-cost) - number (k ?x - t) - number)
  (:constants c1 - t)
  (:types t)
  (:action m
    :parameters (?x - t)
    :precondition (p ?x)
    :effect (and (q) (increase (total-cost) (k ?x)))))
;; problem
(define (problem c1) (:domain c)
  (:objects a - t)
  (:init (p a) (p c1) (= (k a) 5) (= (k c1) 4) (= (total-cost) 0))
  (:goal (q))
  (:metric minimize (total-cost)))
; cost 4
