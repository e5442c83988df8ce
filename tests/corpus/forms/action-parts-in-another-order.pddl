(define (domain c)
  (:predicates (p ?x) (q))
  (:action m
    :effect (q)
    :precondition (p ?x)
    :parameters (?x)))
;; problem
(define (problem c1) (:domain c)
  (:objects a)
  (:init (p a))
  (:goal (q)))
; cost 1
; Fast Downward refuses this
