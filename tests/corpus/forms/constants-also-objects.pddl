(define (domain t)
  (:requirements :typing)
  (:types place)
  (:constants depot - place)
  (:predicates (at ?p - place))
  (:action go
    :parameters (?p ?q - place)
    :precondition (at ?p)
    :effect (and (not (at ?p)) (at ?q))))
;; problem
(define (problem t1) (:domain t)
  (:objects depot shop - place)
  (:init (at shop))
  (:goal (at depot)))
; problem 2:13 'depot' is a constant of the domain already
