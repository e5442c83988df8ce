(define (problem p) (:domain house)
  (:goal (at hall) (at hall)))
; expect 2:20 ':goal' takes one condition, not 2 | join several with (and ...)
