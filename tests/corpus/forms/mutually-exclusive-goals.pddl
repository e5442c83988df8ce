(define (domain c)
  (:predicates (p) (q))
  (:action m
    :parameters ()
    :precondition (p)
    :effect (and (q) (not (p))))
  (:action n
    :parameters ()
    :precondition (q)
    :effect (and (p) (not (q)))))
;; problem
(define (problem c1) (:domain c)
  (:init (p))
  (:goal (and (p) (q))))
; no plan
