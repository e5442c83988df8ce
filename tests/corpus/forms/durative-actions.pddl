(define (domain t)
  (:requirements :durative-actions)
  (:predicates (g) (h))
  (:durative-action drive
    :parameters ()
    :duration (= ?duration 5)
    :condition (and (at start (h)) (over all (h)))
    :effect (and (at end (g)))))
;; problem
(define (problem t1) (:domain t)
  (:init (h))
  (:goal (g))
  (:metric minimize (total-time)))
; domain 2:18 durative actions (:durative-actions) are not supported
; domain 4:3 durative actions are not supported: '(:durative-action ...'
