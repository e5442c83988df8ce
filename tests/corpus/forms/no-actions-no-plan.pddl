(define (domain c)
  (:predicates (p ?x)))
;; problem
(define (problem c1) (:domain c)
  (:objects a b)
  (:init (p a))
  (:goal (p b)))
; no plan
