(define (domain t)
  (:requirements :adl)
  (:predicates (p) (q) (r) (s))
  (:action one
    :parameters ()
    :effect (and (when (q) (p)) (when (r) (not (p)))))
  (:action two
    :parameters ()
    :effect (and (r) (q)))
  (:action three
    :parameters ()
    :precondition (p)
    :effect (and (s) (when (s) (not (s))))))
;; problem
(define (problem t1) (:domain t)
  (:init)
  (:goal (and (p) (s) (r))))
; cost 3
