(define (domain c)
  (:requirements :equality)
  (:predicates (p ?x) (= ?x ?y) (q))
  (:action m
    :parameters (?x ?y)
    :precondition (and (p ?x) (not (= ?x ?y)))
    :effect (q)))
;; problem
(define (problem c1) (:domain c)
  (:objects a b)
  (:init (p a))
  (:goal (q)))
; cost 1
