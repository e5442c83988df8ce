(define (problem p) (:domain house)
  (:goal (at hall))
  (:length (:serial 3) (:parallel 2)))
; expect 3:3 bounds on the plan's length are not supported !
