(define (problem p) (:domain house)
  (:goal (and (at-least 2 (?x - room) (at ?x)) (at-least ?n (?x - room) (at ?x)) (at-least 1 () (at hall)))))
; expect 2:48 'at-least' takes a whole number, variables and a condition
; expect 2:94 'at-least' needs at least one variable
