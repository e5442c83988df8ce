(define (domain drop)
  (:requirements :typing :equality :negative-preconditions :action-costs)
  (:types cell piece - object single double - piece)
  (:predicates (clear ?c - cell) (joined ?a ?b - cell) (on1 ?p - single ?c - cell) (on2 ?p - double ?a ?b - cell))
  (:functions (total-cost) - number)
  (:action slide1
    :parameters (?a ?b - cell ?p - single)
    :precondition (and (clear ?b) (joined ?a ?b) (on1 ?p ?a))
    :effect (and (clear ?a) (not (clear ?b)) (on1 ?p ?b) (not (on1 ?p ?a)) (increase (total-cost) 1)))
  (:action slide2
    :parameters (?a ?b ?c - cell ?p - double)
    :precondition (and (clear ?c) (joined ?b ?c) (on2 ?p ?a ?b) (not (= ?a ?c)))
    :effect (and (clear ?a) (not (clear ?c)) (on2 ?p ?b ?c) (not (on2 ?p ?a ?b)) (increase (total-cost) 2)))
  (:action flip2
    :parameters (?a ?b - cell ?p - double)
    :precondition (on2 ?p ?a ?b)
    :effect (and (not (on2 ?p ?a ?b)) (on2 ?p ?b ?a) (increase (total-cost) 0))))
;; problem
(define (problem d1) (:domain drop)
  (:objects c1 c2 c3 c4 c5 c6 - cell s - single d - double)
  (:init (joined c1 c2) (joined c2 c1) (joined c2 c3) (joined c3 c2) (joined c3 c4) (joined c4 c3) (joined c2 c5)
      (joined c5 c2) (joined c5 c6) (joined c6 c5) (clear c4) (clear c5) (clear c6) (on2 d c1 c2) (=
      (total-cost) 0) (on1 s c3) (not (clear c3)))
  (:goal (and (on1 s c1)))
  (:metric minimize (total-cost)))
; cost 6
