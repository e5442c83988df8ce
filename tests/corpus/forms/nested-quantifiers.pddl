(define (domain t)
  (:requirements :adl)
  (:types node)
  (:predicates (edge ?a ?b - node) (red ?a - node) (blue ?a - node) (proper))
  (:action paint
    :parameters (?a - node)
    :precondition (and (not (red ?a)) (not (blue ?a)))
    :effect (red ?a))
  (:action flip
    :parameters (?a - node)
    :precondition (or (red ?a) (blue ?a))
    :effect (and (when (red ?a) (and (not (red ?a)) (blue ?a))) (when (blue ?a) (and (not (blue ?a)) (red ?a)))))
  (:action judge
    :parameters ()
    :precondition (forall (?a - node) (and (or (red ?a) (blue ?a)) (forall (?b - node) (imply (or (edge ?a ?b)
      (edge ?b ?a)) (not (or (and (red ?a) (red ?b)) (and (blue ?a) (blue ?b))))))))
    :effect (proper)))
;; problem
(define (problem t1) (:domain t)
  (:objects a b c d - node)
  (:init (edge a b) (edge b c) (edge c d))
  (:goal (proper)))
; cost 7
