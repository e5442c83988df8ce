(define (domain c)
  (:predicates (p ?x) (q))
  (:action m
    :parameters (?x)
    :precondition (p ?x)
    :effect (q)))
;; problem
(define (problem c1) (:domain see)
  (:objects a)
  (:init (p a))
  (:goal (q)))
; problem 1:31 this problem is for the domain 'see', not 'c'
