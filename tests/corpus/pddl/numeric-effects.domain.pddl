(define (domain d)
  (:requirements :fluents)
  (:predicates (p))
  (:functions (total-cost) (fuel) - number)
  (:action a
    :precondition (and (>= (fuel) 3) (= (fuel) 3))
    :effect (and (decrease (fuel) 1) (increase (fuel) 1) (assign (total-cost) 0)
      (increase (total-cost) (* 2 (fuel))) (when (p) (increase (total-cost) 1)))))
; expect 6:24 numeric conditions are not supported !
; expect 6:38 numeric conditions are not supported !
; expect 7:18 numeric effects other than increasing a cost are not supported !
; expect 7:58 numeric effects other than increasing a cost are not supported !
; expect 8:30 arithmetic in costs is not supported !
; expect 8:54 costs under 'when' or 'forall' are not supported !
