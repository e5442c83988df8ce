(define (domain c)
  (:predicates (p ?x) (q))
  (:action m
    :parameters (?x)
    :precondition (p ?x)
    :effect (q)))
;; problem
(define (problem c1) (:domain c)
  (:objects a)
  (:init (p a) (nice a))
  (:goal (q)))
; problem 3:17 the predicate 'nice' is not declared
