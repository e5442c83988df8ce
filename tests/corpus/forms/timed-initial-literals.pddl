(define (domain t)
  (:requirements :timed-initial-literals)
  (:predicates (g) (on))
  (:action m
    :parameters ()
    :precondition (on)
    :effect (g)))
;; problem
(define (problem t1) (:domain t)
  (:init (at 5 (on)))
  (:goal (g)))
; domain 2:18 timed initial literals (:timed-initial-literals) are not supported
; problem 2:10 timed initial literals are not supported
