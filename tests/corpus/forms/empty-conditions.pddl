(define (domain t)
  (:predicates (a) (b) (c) (d))
  (:action one
    :parameters ()
    :precondition ()
    :effect (a))
  (:action two
    :precondition (and)
    :effect (and (b)))
  (:action three
    :effect (c))
  (:action four
    :parameters ()
    :precondition (and (and) (and (or (a)) (and)))
    :effect (and (and) (and (d)))))
;; problem
(define (problem t1) (:domain t)
  (:init)
  (:goal (and (a) (b) (and (c) (and)) (d))))
; cost 4
