(define (domain c)
  (:requirements :adl)
  (:types a b)
  (:predicates (p ?x) (q ?x) (r ?x))
  (:action m
    :parameters (?x - a)
    :precondition (and (p ?x) (forall (?x - b) (not (p ?x))) (exists (?x - b) (exists (?x - a) (p ?x))))
    :effect (and (q ?x) (forall (?x - b) (when (exists (?x - a) (p ?x)) (r ?x))))))
;; problem
(define (problem c1) (:domain c)
  (:objects x y - a z w - b)
  (:init (p x))
  (:goal (and (q x) (not (q y)) (r z) (r w) (not (r x)))))
; cost 1
