(define (domain t)
  (:requirements :typing :action-costs)
  (:types place)
  (:constants depot hub - place)
  (:predicates (at ?p - place) (road ?x ?y - place))
  (:functions (total-cost) - number (len ?x ?y - place) - number)
  (:action go
    :parameters (?p ?q - place)
    :precondition (and (at ?p) (road ?p ?q))
    :effect (and (not (at ?p)) (at ?q) (increase (total-cost) (len ?p ?q))))
  (:action home
    :parameters (?p - place)
    :precondition (at ?p)
    :effect (and (not (at ?p)) (at depot) (increase (total-cost) 50))))
;; problem
(define (problem t1) (:domain t)
  (:objects shop - place)
  (:init (at shop) (road shop hub) (road hub depot) (= (len shop hub) 20) (= (len hub depot) 29) (= (total-cost) 0))
  (:goal (and (at depot) (not (at hub))))
  (:metric minimize (total-cost)))
; cost 49
