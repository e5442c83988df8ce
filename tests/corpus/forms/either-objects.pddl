(define (domain tools)
  (:requirements :typing)
  (:types hammer saw - tool tool)
  (:predicates (have ?t - tool) (nailed) (cut))
  (:action nail
    :parameters (?h - hammer)
    :precondition (have ?h)
    :effect (nailed))
  (:action cutit
    :parameters (?s - saw)
    :precondition (have ?s)
    :effect (cut)))
;; problem
(define (problem t) (:domain tools)
  (:objects multi - (either hammer saw))
  (:init (have multi))
  (:goal (and (nailed) (cut))))
; cost 2
; Fast Downward refuses this
