(define (problem p) (:domain house)
  (:goal (at hall))
  (:metric minimise (total-cost)))
; expect 3:12 'minimize' is expected here, not 'minimise'
