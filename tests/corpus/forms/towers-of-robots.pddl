(define (domain levels)
  (:requirements :typing :negative-preconditions)
  (:types numb - object position - object)
  (:predicates (height ?p - position ?h - numb) (at ?p - position) (has) (succ ?n ?m - numb)
      (near ?a ?b - position) (depot ?p - position))
  (:action move
    :parameters (?a ?b - position ?h - numb)
    :precondition (and (at ?a) (near ?a ?b) (height ?a ?h) (height ?b ?h))
    :effect (and (not (at ?a)) (at ?b)))
  (:action up
    :parameters (?a - position ?h - numb ?b - position ?k - numb)
    :precondition (and (at ?a) (near ?a ?b) (height ?a ?h) (height ?b ?k) (succ ?k ?h))
    :effect (and (not (at ?a)) (at ?b)))
  (:action down
    :parameters (?a - position ?h - numb ?b - position ?k - numb)
    :precondition (and (at ?a) (near ?a ?b) (height ?a ?h) (height ?b ?k) (succ ?h ?k))
    :effect (and (not (at ?a)) (at ?b)))
  (:action place
    :parameters (?r ?b - position ?hb ?ha - numb)
    :precondition (and (at ?r) (near ?r ?b) (height ?r ?hb) (height ?b ?hb) (succ ?ha ?hb) (has) (not (depot ?b)))
    :effect (and (not (height ?b ?hb)) (height ?b ?ha) (not (has))))
  (:action fetch
    :parameters (?r ?b - position ?ha ?hb - numb)
    :precondition (and (at ?r) (near ?r ?b) (height ?r ?hb) (height ?b ?ha) (succ ?ha ?hb) (not (has)))
    :effect (and (not (height ?b ?ha)) (height ?b ?hb) (has)))
  (:action take
    :parameters (?p - position)
    :precondition (and (at ?p) (not (has)) (depot ?p))
    :effect (has))
  (:action drop
    :parameters (?p - position)
    :precondition (and (at ?p) (has) (depot ?p))
    :effect (not (has))))
;; problem
(define (problem l1) (:domain levels)
  (:objects n0 n1 n2 - numb p1 p2 p3 p4 - position)
  (:init (succ n1 n0) (succ n2 n1) (near p1 p2) (near p2 p1) (near p2 p3) (near p3 p2) (near p3 p4) (near p4 p3)
      (depot p1) (at p1) (height p1 n0) (height p2 n0) (height p3 n0) (height p4 n0))
  (:goal (and (height p4 n1) (height p3 n1) (height p2 n0) (not (has)))))
; cost 9
