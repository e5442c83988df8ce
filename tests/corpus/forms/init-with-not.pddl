(define (domain c)
  (:predicates (p ?x) (q))
  (:action m
    :parameters (?x)
    :precondition (p ?x)
    :effect (q)))
;; problem
(define (problem c1) (:domain c)
  (:objects a b)
  (:init (not (p a)) (p b) (not (q)))
  (:goal (and (q) (not (p a)))))
; cost 1
