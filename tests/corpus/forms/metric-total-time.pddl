(define (domain t)
  (:requirements :strips)
  (:predicates (g))
  (:action m
    :parameters ()
    :effect (g)))
;; problem
(define (problem t1) (:domain t)
  (:init)
  (:goal (g))
  (:metric minimize (total-time)))
; cost 1
; Fast Downward refuses this
