(define (domain t)
  (:requirements :typing)
  (:types leaf - branch twig - branch branch - trunk trunk)
  (:predicates (touched ?x - trunk))
  (:action touch
    :parameters (?x - branch)
    :effect (touched ?x)))
;; problem
(define (problem t1) (:domain t)
  (:objects l - leaf w - twig t - trunk)
  (:init)
  (:goal (and (touched l) (touched w))))
; cost 2
