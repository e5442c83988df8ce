(define (problem p) (:domain house)
  (:goal (at ?x)))
; expect 2:14 the variable '?x' is not bound here
