(define (domain c)
  (:predicates (p) (q))
  (:action m
    :parameters ()
    :precondition (p)
    :effect (and (q) (not (p)))))
;; problem
(define (problem c1) (:domain c)
  (:objects a b)
  (:init (p))
  (:goal (and (q) (= a b))))
; no plan
