(define (domain t)
  (:requirements :typing)
  (:types amphibian - car amphibian - ship car ship - vehicle vehicle road river - object)
  (:predicates (rolls ?x - car) (swims ?x - ship) (at ?v - vehicle ?p))
  (:action drive
    :parameters (?c - car ?r - road)
    :effect (and (rolls ?c) (at ?c ?r)))
  (:action float
    :parameters (?c - ship ?r - river)
    :effect (and (swims ?c) (at ?c ?r))))
;; problem
(define (problem t1) (:domain t)
  (:objects q - amphibian r1 - road v1 - river s - ship)
  (:init)
  (:goal (and (at q r1) (at q v1) (rolls q) (swims q) (swims s))))
; cost 3
