(define (domain t)
  (:requirements :strips)
  (:predicates (on ?x ?y) (clear ?x))
  (:action m
    :parameters (?x ?y ?z)
    :precondition (and (clear ?x) (clear ?z) (on ?x ?y) (not (= ?x ?z)) (not (= ?y ?z)))
    :effect (and (not (on ?x ?y)) (on ?x ?z) (clear ?y) (not (clear ?z)))))
;; problem
(define (problem t1) (:domain t)
  (:objects a b c)
  (:init (on a b) (clear a) (clear c))
  (:goal (and (on a c) (exists (?x ?y) (and (not (= ?x ?y)) (clear ?x) (clear ?y))))))
; cost 1
