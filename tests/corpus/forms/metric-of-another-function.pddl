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
; domain 7:32 numeric effects other than increasing (total-cost) are not supported
; problem 4:21 metrics other than 'minimize (total-cost)' are not supported: 'minimize (fuel-used)'
