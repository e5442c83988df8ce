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
; domain 2:26 object fluents (:object-fluents) are not supported
; domain 5:37 object fluents are not supported: '- place'
; domain 8:19 numeric conditions are not supported: '=' compares objects here
; domain 9:22 numeric effects other than increasing a cost are not supported: '(assign ...'
; problem 3:26 a number is expected here, not 'p'
