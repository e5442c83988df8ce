(define (domain c)
  (:predicates (p ?x?y) (q))
  (:action m
    :parameters (?x?y)
    :precondition (p ?x?y)
    :effect (q)))
;; problem
(define (problem c1) (:domain c)
  (:objects a b)
  (:init (p a b))
  (:goal (q)))
; cost 1
