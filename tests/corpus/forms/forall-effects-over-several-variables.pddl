(define (domain t)
  (:requirements :adl)
  (:types cell item)
  (:predicates (at ?i - item ?c - cell) (next ?a ?b - cell) (wet ?i - item ?c - cell) (stamp ?i ?j - item))
  (:action push
    :parameters ()
    :effect (forall (?i - item ?a ?b - cell) (when (and (at ?i ?a) (next ?a ?b)) (and (not (at ?i ?a)) (at ?i ?b)))))
  (:action mark
    :parameters ()
    :effect (forall (?i ?j - item) (when (exists (?c - cell) (and (at ?i ?c) (at ?j ?c) (not (= ?i ?j))))
      (stamp ?i ?j))))
  (:action hold
    :parameters (?i - item ?a - cell)
    :precondition (at ?i ?a)
    :effect (forall (?c - cell) (and (wet ?i ?c) (when (not (= ?c ?a)) (not (wet ?i ?c)))))))
;; problem
(define (problem t1) (:domain t)
  (:objects c1 c2 c3 - cell x y - item)
  (:init (at x c1) (at y c2) (next c1 c2) (next c2 c3))
  (:goal (and (stamp x y) (at y c3) (wet x c3))))
; cost 4
