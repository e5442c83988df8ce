(define (domain t)
  (:requirements :action-costs)
  (:predicates (g))
  (:functions (total-cost) - number)
  (:action m
    :parameters ()
    :effect (and (g) (increase (total-cost) 3))))
;; problem
(define (problem t1) (:domain t)
  (:init (= (total-cost) 0))
  (:goal (g))
  (:metric maximize (total-cost)))
; problem 4:21 metrics other than 'minimize (total-cost)' are not supported: 'maximize (total-cost)'
