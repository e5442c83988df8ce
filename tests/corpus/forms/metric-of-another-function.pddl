(define (domain t)
  (:requirements :fluents)
  (:predicates (g))
  (:functions (fuel-used))
  (:action m
    :parameters ()
    :effect (and (g) (increase (fuel-used) 3))))
;; problem
(define (problem t1) (:domain t)
  (:init (= (fuel-used) 0))
  (:goal (g))
  (:metric minimize (fuel-used)))
; cost 3
