(define (domain t)
  (:requirements :adl)
  (:types ghost thing)
  (:predicates (seen ?g - ghost) (done ?t - thing))
  (:action finish
    :parameters (?t - thing)
    :effect (done ?t)))
;; problem
(define (problem t1) (:domain t)
  (:objects x y - thing)
  (:init)
  (:goal (and (done x) (exists (?g - ghost) (not (seen ?g))))))
; no plan
