(define (problem p) (:domain house)
  (:objects x - room)
  (:init (at x)
  (:goal (at x)))
; expect 3:3 '(:init' is not closed before '(:goal' in line 4
