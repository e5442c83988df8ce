(define (domain ricochet)
  (:requirements :strips :typing :negative-preconditions :action-costs)
  (:types cell direction robot)
  (:predicates (next ?a ?b - cell ?d - direction) (at ?r - robot ?c - cell) (free ?c - cell)
      (moving ?r - robot ?d - direction) (idle) (blocked ?c - cell ?d - direction))
  (:functions (total-cost) - number (start-cost) - number (step-cost) - number)
  (:action go
    :parameters (?r - robot ?d - direction)
    :precondition (idle)
    :effect (and (not (idle)) (moving ?r ?d) (increase (total-cost) (start-cost))))
  (:action step
    :parameters (?r - robot ?a ?b - cell ?d - direction)
    :precondition (and (moving ?r ?d) (at ?r ?a) (next ?a ?b ?d) (free ?b))
    :effect (and (not (at ?r ?a)) (at ?r ?b) (free ?a) (not (free ?b)) (increase (total-cost) (step-cost))))
  (:action stop-wall
    :parameters (?r - robot ?a - cell ?d - direction)
    :precondition (and (moving ?r ?d) (at ?r ?a) (blocked ?a ?d))
    :effect (and (not (moving ?r ?d)) (idle) (increase (total-cost) (step-cost))))
  (:action stop-robot
    :parameters (?r - robot ?a ?b - cell ?d - direction)
    :precondition (and (moving ?r ?d) (at ?r ?a) (next ?a ?b ?d) (not (free ?b)))
    :effect (and (not (moving ?r ?d)) (idle) (increase (total-cost) (step-cost)))))
;; problem
(define (problem r1) (:domain ricochet)
  (:objects a b c d - cell east west - direction r1 r2 - robot)
  (:init (next a b east) (next b c east) (next c d east) (next b a west) (next c b west) (next d c west)
      (blocked d east) (blocked a west) (at r1 a) (at r2 c) (free b) (free d) (idle) (= (start-cost) 1) (=
      (step-cost) 0) (= (total-cost) 0))
  (:goal (and (at r1 c) (idle)))
  (:metric minimize (total-cost)))
; cost 2
