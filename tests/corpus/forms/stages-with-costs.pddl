(define (domain farm)
  (:requirements :typing :negative-preconditions :action-costs)
  (:types num round worker good - object crop animal - good round-x - round)
  (:constants start mid final - round num0 - num)
  (:predicates (now ?r - round) (then ?a ?b - round) (count ?g - good ?n - num) (inc ?a ?b - num)
      (ready ?w - worker) (fed) (hungry))
  (:functions (total-cost) - number (price ?r - round ?n - num) - number)
  (:action sow
    :parameters (?w - worker ?c - crop ?a ?b - num ?r - round)
    :precondition (and (now ?r) (ready ?w) (count ?c ?a) (inc ?a ?b))
    :effect (and (not (ready ?w)) (not (count ?c ?a)) (count ?c ?b) (increase (total-cost) (price ?r ?b))))
  (:action feed
    :parameters (?w - worker ?g - good ?a ?b - num)
    :precondition (and (hungry) (count ?g ?b) (inc ?a ?b) (not (fed)))
    :effect (and (fed) (count ?g ?a) (not (count ?g ?b)) (increase (total-cost) 0)))
  (:action turn
    :parameters (?r ?s - round ?w ?v - worker)
    :precondition (and (now ?r) (then ?r ?s) (fed) (not (= ?w ?v)))
    :effect (and (not (fed)) (now ?s) (not (now ?r)) (ready ?w) (ready ?v) (increase (total-cost) 1))))
;; problem
(define (problem f1) (:domain farm)
  (:objects num1 num2 num3 - num ann bob - worker corn - crop pig - animal)
  (:init (now start) (then start mid) (then mid final) (count corn num1) (count pig num0) (inc num0 num1)
      (inc num1 num2) (inc num2 num3) (ready ann) (ready bob) (hungry) (= (price start num1) 1) (=
      (price start num2) 10) (= (price start num3) 10) (= (price mid num1) 2) (= (price mid num2) 3) (=
      (price mid num3) 3) (= (price final num1) 4) (= (price final num2) 2) (= (price final num3) 1) (=
      (total-cost) 0))
  (:goal (and (now final) (count corn num2)))
  (:metric minimize (total-cost)))
; cost 7
