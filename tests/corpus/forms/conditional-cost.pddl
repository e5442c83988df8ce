(define (domain c)
  (:requirements :action-costs :adl)
  (:predicates (g) (h))
  (:functions (total-cost) - number)
  (:action m
    :effect (and (g) (when (h) (increase (total-cost) 2)))))
;; problem
(define (problem c1) (:domain c)
  (:init (h) (= (total-cost) 0))
  (:goal (g))
  (:metric minimize (total-cost)))
; domain 6:32 costs under 'when' or 'forall' are not supported
