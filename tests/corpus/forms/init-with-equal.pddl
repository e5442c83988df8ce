(define (domain c)
  (:predicates (p ?x) (q))
  (:action m
    :parameters (?x)
    :precondition (p ?x)
    :effect (q)))
;; problem
(define (problem c1) (:domain c)
  (:objects a b)
  (:init (p a) (= a a))
  (:goal (q)))
; problem 3:19 the function 'a' is not declared
; problem 3:21 a number is expected here, not 'a'
