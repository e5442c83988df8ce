(define (domain t)
  (:requirements :timed-initial-literals)
  (:predicates (g) (on))
  (:action m
    :parameters ()
    :precondition (on)
    :effect (g)))
;; problem
(define (problem t1) (:domain t)
  (:init (at 5 (and (on) (g))) (at -1 (on)))
  (:goal (g)))
; problem 2:16 one literal is expected here, not '(and ...'
; problem 2:36 a time from 0 on is expected here, not '-1'
