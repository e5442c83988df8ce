(define (domain c)
  (:predicates (p ?x) (q))
  (:action m
    :parameters (?x)
    :precondition (p ?x)
    :effect (q)))
;; problem
(define (problem c1) (:domain c)
  (:objects a)
  (:init (p a))
  (:goal (q))
  (:length
  (:serial 3)
  (:parallel 2)))
; problem 5:3 bounds on the plan's length are not supported: '(:length ...'
