(define (domain c)
  (:predicates (coin ?x) (tea) (cake))
  (:action t
    :parameters (?x)
    :precondition (coin ?x)
    :effect (and (tea) (not (coin ?x))))
  (:action k
    :parameters (?x)
    :precondition (coin ?x)
    :effect (and (cake) (not (coin ?x)))))
;; problem
(define (problem c1) (:domain c)
  (:objects a)
  (:init (coin a))
  (:goal (and (tea) (cake))))
; no plan
