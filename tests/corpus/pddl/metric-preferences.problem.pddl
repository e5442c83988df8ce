(define (problem p) (:domain house)
  (:goal (at hall))
  (:metric maximize (is-violated p1)))
; expect 3:21 preferences are not supported: '(is-violated ...' !
