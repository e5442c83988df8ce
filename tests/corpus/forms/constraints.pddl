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
  (:constraints (and (always (sometime (h))) (sometime-after (g)))))
; problem 4:30 trajectory constraints are not supported: '(sometime ...'
; problem 4:46 'sometime-after' takes 2 conditions
