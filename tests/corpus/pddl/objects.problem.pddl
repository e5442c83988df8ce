(define (problem p) (:domain house)
  (:objects x y x - room hall - room b - bal)
  (:init (at x) (at b) (in b))
  (:goal (at hal)))
; expect 2:17 the object 'x' is declared twice
; expect 2:26 'hall' is a constant of the domain already
; expect 2:42 the type 'bal' is not declared | did you mean 'ball'?
; expect 3:24 'in' takes 2 arguments, not 1
; expect 4:14 the object 'hal' is not declared | did you mean 'hall'?
