(define (domain t)
  (:requirements :typing :fluents)
  (:types truck)
  (:predicates (g ?t - truck))
  (:functions (fuel ?t - truck) - number)
  (:action drive
    :parameters (?t - truck)
    :precondition (>= (fuel ?t) 3)
    :effect (and (g ?t) (decrease (fuel ?t) 3))))
;; problem
(define (problem t1) (:domain t)
  (:objects a - truck)
  (:init (= (fuel a) 5))
  (:goal (and (g a) (<= (fuel a) 2))))
; domain 8:19 numeric conditions are not supported: '(>= ...'
; domain 9:25 numeric effects other than increasing a cost are not supported: '(decrease ...'
; problem 4:21 numeric conditions are not supported: '(<= ...'
