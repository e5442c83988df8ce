(define (domain t)
  (:requirements :preferences)
  (:predicates (g) (h))
  (:action m
    :parameters ()
    :precondition (or (h) (preference p1 (h)))
    :effect (g)))
;; problem
(define (problem t1) (:domain t)
  (:init)
  (:goal (and (g) (not (preference p2 (h)))))
  (:metric minimize (+ (is-violated p1) (is-violated p2))))
; domain 6:27 preferences are not supported: '(preference ...'
; problem 3:24 preferences are not supported: '(preference ...'
