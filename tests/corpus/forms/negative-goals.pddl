(define (domain t)
  (:requirements :strips :negative-preconditions)
  (:predicates (dirty ?x) (soap))
  (:action wash
    :parameters (?x)
    :precondition (and (dirty ?x) (soap))
    :effect (and (not (dirty ?x)) (not (soap))))
  (:action buy
    :parameters ()
    :precondition (not (soap))
    :effect (soap)))
;; problem
(define (problem t1) (:domain t)
  (:objects a b)
  (:init (dirty a) (dirty b))
  (:goal (and (not (dirty a)) (not (dirty b)) (not (soap)))))
; cost 4
