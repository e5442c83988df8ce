(define (domain t)
  (:requirements :constraints)
  (:predicates (g) (h))
  (:action m
    :parameters ()
    :effect (g)))
;; problem
(define (problem t1) (:domain t)
  (:init)
  (:goal (g))
  (:constraints (and (always (not (h))) (sometime (g)))))
; domain 2:18 trajectory constraints (:constraints) are not supported
; problem 4:3 trajectory constraints are not supported: '(:constraints ...'
