(define (problem p)
  (:goal (and)))
; expect 1:1 the problem does not name its domain
