(define (domain t)
  (:requirements :typing :object-fluents)
  (:types car place)
  (:predicates (g))
  (:functions (place-of ?c - car) - place)
  (:action m
    :parameters (?c - car ?p - place)
    :precondition (= (place-of ?c) ?p)
    :effect (and (g) (assign (place-of ?c) undefined))))
;; problem
(define (problem t1) (:domain t)
  (:objects a - car p - place)
  (:init (= (place-of a) p))
  (:goal (g)))
; domain 5:37 object fluents are not supported: '- place'
; domain 8:36 a number or a function is expected here, not '?p'
; domain 9:44 the function 'undefined' is not declared
; problem 3:26 a number is expected here, not 'p'
