(define (domain t)
  (:requirements :action-costs)
  (:predicates (g) (h))
  (:functions (total-cost) - number)
  (:action m
    :parameters ()
    :effect (and (h) (increase (total-cost) 1)))
  (:action o
    :parameters ()
    :precondition (h)
    :effect (and (g) (increase (total-cost) 1)))
  (:action n
    :parameters ()
    :effect (and (g) (increase (total-cost) 9))))
;; problem
(define (problem t1) (:domain t)
  (:init (= (total-cost) 0))
  (:goal (g)))
; cost 1
