(define (problem p) (:domain hause)
  (:objects x - room)
  (:init)
  (:goal (at x)))
; expect 1:30 this problem is for the domain 'hause', not 'house' | did you mean 'house'?
