(define (domain c)
  (:requirements :action-costs)
  (:predicates (p ?x) (q))
  (:functions (total-cost) - number (c) - number)
  (:action m
    :parameters (?x)
    :precondition (p ?x)
    :effect (and (q) (increase (total-cost) (c)))))
;; problem
(define (problem c1) (:domain c)
  (:objects a)
  (:init (p a) (p a) (P A) (= (c) 2) (= (c) 2) (= (total-cost) 0))
  (:goal (q))
  (:metric minimize (total-cost)))
; cost 2
