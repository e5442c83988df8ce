(define (domain c)
  (:requirements :adl)
  (:predicates (p ?x) (q ?x) (z))
  (:action m
    :parameters (?x)
    :precondition (not (not (imply (q ?x) (imply (p ?x) (not (not (q ?x)))))))
    :effect (p ?x))
  (:action n
    :parameters (?x)
    :precondition (not (or (not (p ?x)) (and (q ?x) (z))))
    :effect (q ?x)))
;; problem
(define (problem c1) (:domain c)
  (:objects a b)
  (:init)
  (:goal (not (exists (?x) (not (and (p ?x) (q ?x)))))))
; cost 4
