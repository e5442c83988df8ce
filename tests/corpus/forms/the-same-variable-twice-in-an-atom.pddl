(define (domain c)
  (:requirements :adl)
  (:predicates (p ?x ?y) (q ?x ?x) (same ?x ?x))
  (:action m
    :parameters (?x)
    :precondition (p ?x ?x)
    :effect (and (q ?x ?x) (forall (?y) (when (p ?y ?x) (same ?y ?x))))))
;; problem
(define (problem c1) (:domain c)
  (:objects x y)
  (:init (p x y) (p y y))
  (:goal (and (q y y) (same y y))))
; cost 1
