(define (domain caves)
  (:requirements :adl :action-costs)
  (:types location diver tank count)
  (:predicates (at-surface ?d - diver) (in ?d - diver ?l - location) (link ?a ?b - location)
      (holds ?d - diver ?t - tank) (full ?t - tank) (spare ?n - count) (lower ?a ?b - count)
      (capacity ?d - diver ?n - count) (scared ?a ?b - diver) (dropped ?t - tank ?l - location)
      (photo ?l - location) (decompressing ?d - diver) (hired ?d - diver) (mouth ?l - location))
  (:functions (total-cost) - number (wage ?d - diver) - number (other) - number)
  (:action hire
    :parameters (?d - diver)
    :precondition (and (not (hired ?d)) (forall (?e - diver) (imply (hired ?e) (not (or (scared ?d ?e)
      (scared ?e ?d))))))
    :effect (and (hired ?d) (at-surface ?d) (increase (total-cost) (wage ?d))))
  (:action prepare
    :parameters (?d - diver ?t - tank ?a ?b - count)
    :precondition (and (at-surface ?d) (hired ?d) (capacity ?d ?b) (lower ?a ?b) (not (exists (?e - diver)
      (holds ?e ?t))))
    :effect (and (holds ?d ?t) (full ?t) (not (capacity ?d ?b)) (capacity ?d ?a) (increase (total-cost) (other))))
  (:action dive
    :parameters (?d - diver ?l - location)
    :precondition (and (at-surface ?d) (mouth ?l) (forall (?e - diver) (not (in ?e ?l))))
    :effect (and (in ?d ?l) (not (at-surface ?d)) (increase (total-cost) (other))))
  (:action swim
    :parameters (?d - diver ?t - tank ?a ?b - location)
    :precondition (and (in ?d ?a) (holds ?d ?t) (full ?t) (or (link ?a ?b) (link ?b ?a)) (forall (?e - diver) (not
      (in ?e ?b))))
    :effect (and (not (in ?d ?a)) (in ?d ?b) (not (full ?t)) (increase (total-cost) (other))))
  (:action shoot
    :parameters (?d - diver ?l - location ?t - tank)
    :precondition (and (in ?d ?l) (holds ?d ?t) (full ?t))
    :effect (and (not (full ?t)) (photo ?l) (increase (total-cost) (other))))
  (:action rise
    :parameters (?d - diver ?l - location)
    :precondition (and (in ?d ?l) (mouth ?l))
    :effect (and (not (in ?d ?l)) (decompressing ?d) (forall (?e - diver) (when (scared ?e ?d) (not (hired ?e))))
      (increase (total-cost) (other)))))
;; problem
(define (problem c1) (:domain caves)
  (:objects l0 l1 - location ann ben - diver t1 t2 t3 - tank n0 n1 n2 n3 - count)
  (:init (mouth l0) (link l0 l1) (capacity ann n3) (capacity ben n1) (lower n0 n1) (lower n1 n2) (lower n2 n3)
      (scared ann ben) (= (wage ann) 50) (= (wage ben) 10) (= (other) 1) (= (total-cost) 0))
  (:goal (and (photo l1) (decompressing ann) (forall (?l - location ?d - diver) (not (in ?d ?l)))))
  (:metric minimize (total-cost)))
; cost 58
