(define (problem p) (:domain house)
  (:init))
; expect 1:1 the problem has no goal
