(define (domain c)
  (:predicates (p ?x) (q) (r))
  (:action m
    :parameters (?x)
    :precondition (p ?x)
    :effect (q))
  (:action m
    :parameters (?x)
    :precondition (q)
    :effect (r)))
;; problem
(define (problem c1) (:domain c)
  (:objects a)
  (:init (p a))
  (:goal (r)))
; domain 7:12 the action 'm' is declared twice, first in line 3
