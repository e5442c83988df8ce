(define (domain c)
  (:requirements :action-costs)
  (:predicates (g))
  (:functions (total-cost) - number)
  (:action m
    :effect (and (g) (increase (total-cost) 2))))
;; problem
(define (problem c1) (:domain c)
  (:init (= (total-cost) 5))
  (:goal (g))
  (:metric minimize (total-cost)))
; cost 2
