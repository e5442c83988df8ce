(define (domain 1-strange_domain.v2)
  (:requirements :typing)
  (:types 2d_cell when-type - object)
  (:constants 0 1 2 - 2d_cell)
  (:predicates (at ?x - 2d_cell) (object ?x) (domain) (problem) (start) (end) (all) (over) (succ ?a ?b - 2d_cell)
      (is+ ?x) (a/b) (x!y@z#t$%^&*))
  (:action 3move
    :parameters (?0 ?1 - 2d_cell)
    :precondition (and (at ?0) (succ ?0 ?1))
    :effect (and (at ?1) (not (at ?0)) (object ?1)))
  (:action at
    :parameters (?at - 2d_cell)
    :precondition (at ?at)
    :effect (and (start) (end) (a/b)))
  (:action minimize
    :parameters (?action)
    :precondition (object ?action)
    :effect (and (domain) (is+ ?action) (x!y@z#t$%^&*))))
;; problem
(define (problem 7) (:domain 1-strange_domain.v2)
  (:objects 10 x-1 y_2 z- _q - 2d_cell)
  (:init (at 0) (succ 0 1) (succ 1 2) (succ 2 z-))
  (:goal (and (at z-) (domain) (start) (is+ 2) (a/b) (x!y@z#t$%^&*))))
; cost 5
