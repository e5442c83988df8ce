(define (domain c)
  (:requirements :typing)
  (:types ball room)
  (:predicates (carry ?b - ball)  (ok))
  (:action pick
    :parameters (?b)
    :effect (carry ?b))
  (:action all
    :parameters ()
    :precondition (forall (?x) (carry ?x))
    :effect (ok)))
;; problem
(define (problem c1) (:domain c)
  (:objects b1 b2 - ball r1 r2 - room)
  (:init)
  (:goal (ok)))
; cost 5
