(define (domain t)
  (:requirements :strips :typing :action-costs)
  (:types spot)
  (:predicates (at ?s - spot) (near ?a ?b - spot) (paid))
  (:functions (total-cost) (dist ?a ?b - spot) (fee) - number)
  (:action walk
    :parameters (?a ?b - spot)
    :precondition (and (at ?a) (near ?a ?b))
    :effect (and (at ?b) (not (at ?a)) (increase (total-cost) (dist ?a ?b))))
  (:action pay
    :parameters ()
    :effect (and (increase (total-cost) (fee)) (paid)))
  (:action jump
    :parameters (?a ?b - spot)
    :precondition (and (at ?a) (paid))
    :effect (and (at ?b) (not (at ?a)) (not (paid)) (increase (total-cost) 0)))
  (:action rest
    :parameters (?a - spot)
    :precondition (at ?a)
    :effect (paid)))
;; problem
(define (problem t1) (:domain t)
  (:objects a b c - spot)
  (:init (at a) (near a b) (near b c) (= (dist a b) 3) (= (dist b c) 4) (= (fee) 2) (= (total-cost) 0))
  (:goal (at c))
  (:metric minimize (total-cost)))
; cost 0
