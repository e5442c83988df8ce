(define (domain c)
  (:requirements :action-costs)
  (:predicates (g))
  (:functions (total-cost) - number (a) (b) - number (c))
  (:action m
    :effect (and (g) (increase (total-cost) (c)))))
;; problem
(define (problem c1) (:domain c)
  (:init (= (a) 1) (= (b) 2) (= (c) 3) (= (total-cost) 0))
  (:goal (g))
  (:metric minimize (total-cost)))
; cost 3
