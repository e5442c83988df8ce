(define (domain t)
  (:requirements :adl)
  (:types ghost thing)
  (:predicates (seen ?g - ghost) (done ?t - thing) (ok))
  (:action check
    :parameters ()
    :precondition (and (forall (?g - ghost) (seen ?g)) (not (exists (?g - ghost) (not (seen ?g)))))
    :effect (and (ok) (forall (?g - ghost) (seen ?g))))
  (:action never
    :parameters ()
    :precondition (exists (?g - ghost) (seen ?g))
    :effect (forall (?t - thing) (done ?t)))
  (:action finish
    :parameters (?t - thing)
    :precondition (imply (exists (?g - ghost ?h - ghost) (and (seen ?g) (not (= ?g ?h)))) (done ?t))
    :effect (done ?t)))
;; problem
(define (problem t1) (:domain t)
  (:objects x y - thing)
  (:init)
  (:goal (and (ok) (done x) (forall (?g - ghost) (seen ?g)))))
; cost 2
