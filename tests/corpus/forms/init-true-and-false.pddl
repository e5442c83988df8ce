(define (domain c)
  (:predicates (p ?x) (q))
  (:action m
    :parameters (?x)
    :precondition (p ?x)
    :effect (q)))
;; problem
(define (problem c1) (:domain c)
  (:objects a b)
  (:init (not (p a)) (p a))
  (:goal (and (q) (not (p a)))))
; problem 3:15 (p a) is both true and false in ':init'
