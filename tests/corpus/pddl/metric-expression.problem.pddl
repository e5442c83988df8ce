(define (problem p) (:domain house)
  (:goal (at hall))
  (:metric minimize (+ (total-cost) 1)))
; expect 3:21 metrics other than 'minimize (total-cost)' are not supported !
