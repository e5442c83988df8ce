(define (problem p) (:domain house)
  (:objects x - room b - ball)
  (:init (= (far x hall) 3) (= (far x b) 3) (= (fer x hall) 3) (= (far x) 3) (= (far x hall) x) (= (far hall x) -2) (= (far x hall) 4))
  (:goal (at x)))
; expect 3:39 'b' is a ball, but 'far' takes a room here
; expect 3:49 the function 'fer' is not declared | did you mean 'far'?
; expect 3:67 'far' takes 2 arguments, not 1
; expect 3:94 a number is expected here, not 'x'
; expect 3:97 (far hall x) is negative !
; expect 3:117 (far x hall) has two values: 3 and 4
