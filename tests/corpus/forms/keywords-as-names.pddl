(define (domain define)
  (:requirements :typing)
  (:types action effect)
  (:predicates (parameters ?x - action) (precondition ?e - effect) (number ?x) (undefined))
  (:action action
    :parameters (?x - action ?e - effect)
    :precondition (parameters ?x)
    :effect (and (precondition ?e) (number ?x) (undefined))))
;; problem
(define (problem problem) (:domain define)
  (:objects init - action goal - effect)
  (:init (parameters init))
  (:goal (and (precondition goal) (number init) (undefined))))
; cost 1
