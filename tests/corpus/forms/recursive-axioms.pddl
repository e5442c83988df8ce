(define (domain t)
  (:requirements :adl :derived-predicates)
  (:types node)
  (:predicates (wire ?a ?b - node) (fed ?a - node) (source ?a - node) (cut ?a ?b - node))
  (:derived (fed ?a - node) (or (source ?a) (exists (?b - node) (and (fed ?b) (or (wire ?a ?b) (wire ?b ?a))))))
  (:action connect
    :parameters (?a ?b - node)
    :precondition (and (fed ?a) (not (fed ?b)) (not (= ?a ?b)))
    :effect (wire ?a ?b))
  (:action sever
    :parameters (?a ?b - node)
    :precondition (wire ?a ?b)
    :effect (not (wire ?a ?b))))
;; problem
(define (problem t1) (:domain t)
  (:objects s a b c d - node)
  (:init (source s) (wire a b) (wire c d) (wire s d))
  (:goal (and (fed a) (fed b) (not (fed c)) (fed d))))
; cost 2
