(define (domain d)
  (:requirements :fluents)
  (:predicates (p))
  (:functions (total-cost) (fuel) - number)
  (:action a
    :precondition (and (>= (fuel) x) (= (fuel) 3 4) (< (feul) (* 2)))
    :effect (and (decrease (fuel)) (assign fuel 1) (increase (fuel) "x")
      (scale-up (fuel) ?duration) (increase (total-cost) (- (fuel 3) 1 2)))))
; expect 6:35 the function 'x' is not declared
; expect 6:38 '=' takes 2 numbers, not 3 | (= (fuel ?x) 3)
; expect 6:57 the function 'feul' is not declared | did you mean 'fuel'?
; expect 6:63 '*' takes 2 or more numbers, not 1
; expect 7:18 'decrease' takes a function and an amount | (decrease (total-cost) 1)
; expect 7:69 a number or a function is expected here, not '"x"'
; expect 8:24 '?duration' is known in durative actions only
; expect 8:58 '-' takes 1 or 2 numbers, not 3
; expect 8:61 'fuel' takes 0 arguments, not 1 | it is declared as (fuel)
; expect 8:67 the object '3' is not declared
