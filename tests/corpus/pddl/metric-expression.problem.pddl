(define (problem p) (:domain house)
  (:goal (at hall))
  (:metric minimize (+ (total-cost) (far hall) 1)))
; expect 3:37 'far' takes 2 arguments, not 1 | it is declared as (far ?from - room ?to - room)
