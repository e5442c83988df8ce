(define (domain c)
  (:predicates (p ?x)))
;; problem
(define (problem c1) (:domain c)
  (:objects a)
  (:init (p a))
  (:goal (p a)))
; cost 0
