(define (domain t)
  (:requirements :adl :derived-predicates)
  (:predicates (up ?x) (all-up) (won))
  (:derived (all-up) (forall (?x) (up ?x)))
  (:action lift
    :parameters (?x)
    :effect (and (up ?x) (when (all-up) (won)))))
;; problem
(define (problem t1) (:domain t)
  (:objects a b)
  (:init)
  (:goal (won)))
; cost 3
