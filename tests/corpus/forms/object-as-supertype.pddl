(define (domain o)
  (:requirements :typing)
  (:types a b - object c - a)
  (:predicates (p ?x - object) (q ?x))
  (:action m
    :parameters (?x - object)
    :precondition (p ?x)
    :effect (and (q ?x) (not (p ?x)))))
;; problem
(define (problem o1) (:domain o)
  (:objects x - a y - b z - c w - object)
  (:init (p x) (p z) (p w))
  (:goal (and (q x) (q z) (q w) (not (q y)))))
; cost 3
