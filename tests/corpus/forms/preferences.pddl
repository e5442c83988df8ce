(define (domain t)
  (:requirements :preferences)
  (:predicates (g) (h))
  (:action m
    :parameters ()
    :precondition (preference p1 (h))
    :effect (g)))
;; problem
(define (problem t1) (:domain t)
  (:init)
  (:goal (and (g) (preference p2 (h))))
  (:metric minimize (+ (is-violated p1) (is-violated p2))))
; domain 2:18 preferences (:preferences) are not supported
; domain 6:19 preferences are not supported: '(preference ...'
; problem 3:19 preferences are not supported: '(preference ...'
; problem 4:24 preferences are not supported: '(is-violated ...'
; problem 4:41 preferences are not supported: '(is-violated ...'
