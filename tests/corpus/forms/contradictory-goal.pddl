(define (domain c)
  (:predicates (p ?x) (q))
  (:action m
    :parameters (?x)
    :precondition (p ?x)
    :effect (not (p ?x))))
;; problem
(define (problem c1) (:domain c)
  (:objects a)
  (:init (p a))
  (:goal (and (p a) (not (p a)))))
; no plan
