(define (domain t)
  (:requirements :action-costs)
  (:predicates (g) (h))
  (:functions (total-cost) - number (c) - number)
  (:action m
    :parameters ()
    :effect (and (g) (increase (total-cost) 2.0)))
  (:action n
    :parameters ()
    :effect (and (h) (increase (total-cost) (c)))))
;; problem
(define (problem t1) (:domain t)
  (:init (= (c) 3.0) (= (total-cost) 0.0))
  (:goal (and (g) (h)))
  (:metric minimize (total-cost)))
; cost 5
; Fast Downward refuses this
