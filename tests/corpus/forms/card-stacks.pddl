(define (domain spider)
  (:requirements :typing :action-costs)
  (:types cardposition - object card_or_tableau - cardposition card tableau - card_or_tableau deal - cardposition)
  (:constants discard - cardposition)
  (:predicates (on ?c - card ?p - cardposition) (clear ?p - cardposition) (movable ?c - card ?p - card_or_tableau)
      (next-lower ?a ?b - card) (same-suit ?a ?b - card) (doing) (part ?t - tableau ?c - cardposition))
  (:functions (total-cost) - number)
  (:action shift
    :parameters (?c ?from ?to - card)
    :precondition (and (clear ?c) (clear ?to) (on ?c ?from) (next-lower ?c ?to))
    :effect (and (on ?c ?to) (not (on ?c ?from)) (clear ?from) (not (clear ?to)) (increase (total-cost) 1)))
  (:action to-tableau
    :parameters (?c ?from - card ?t - tableau)
    :precondition (and (clear ?c) (clear ?t) (on ?c ?from))
    :effect (and (on ?c ?t) (not (on ?c ?from)) (clear ?from) (not (clear ?t)) (increase (total-cost) 1)))
  (:action from-tableau
    :parameters (?c - card ?t - tableau ?to - card)
    :precondition (and (clear ?c) (on ?c ?t) (clear ?to) (next-lower ?c ?to))
    :effect (and (on ?c ?to) (not (on ?c ?t)) (clear ?t) (not (clear ?to)) (increase (total-cost) 1)))
  (:action put-away
    :parameters (?a ?b - card ?t - card_or_tableau)
    :precondition (and (clear ?a) (on ?a ?b) (next-lower ?a ?b) (same-suit ?a ?b) (on ?b ?t))
    :effect (and (not (on ?a ?b)) (not (on ?b ?t)) (on ?a discard) (on ?b discard) (not (clear ?a)) (clear ?t)
      (increase (total-cost) 0))))
;; problem
(define (problem s1) (:domain spider)
  (:objects a1 a2 b1 b2 - card t0 t1 t2 - tableau)
  (:init (on a1 t0) (on b2 a1) (clear b2) (on b1 t1) (on a2 b1) (clear a2) (clear t2) (next-lower a1 a2)
      (next-lower b1 b2) (next-lower a1 b2) (next-lower b1 a2) (same-suit a1 a2) (same-suit b1 b2) (= (total-cost) 0))
  (:goal (and (clear t0) (clear t1) (clear t2) (on a1 discard) (on b2 discard)))
  (:metric minimize (total-cost)))
; cost 3
