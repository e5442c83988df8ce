(define (domain c)
  (:predicates (p ?x))
  (:action m
    :parameters (?x)
    :precondition (p ?x)
    :effect (not (p ?x))))
;; problem
(define (problem c1) (:domain c)
  (:objects a)
  (:init (p a))
  (:goal (p a)))
; cost 0
