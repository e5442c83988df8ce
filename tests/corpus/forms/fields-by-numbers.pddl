(define (domain nuri)
  (:requirements :adl :typing :action-costs)
  (:types cell num)
  (:constants n0 - num)
  (:predicates (robot ?c - cell) (conn ?a ?b - cell) (black ?c - cell) (white ?c - cell) (source ?c - cell)
      (todo ?c - cell ?n - num) (one-less ?a ?b - num) (moving) (painting ?c - cell) (owned ?c ?by - cell)
      (done ?c - cell))
  (:functions (total-cost) - number)
  (:action walk
    :parameters (?a ?b - cell)
    :precondition (and (moving) (robot ?a) (conn ?a ?b) (not (black ?b)))
    :effect (and (robot ?b) (not (robot ?a)) (when (and (not (white ?b)) (not (source ?b))) (black ?b)) (increase
      (total-cost) 1)))
  (:action begin
    :parameters (?c - cell)
    :precondition (and (moving) (source ?c) (not (exists (?o - cell) (painting ?o))))
    :effect (and (not (moving)) (painting ?c) (white ?c) (increase (total-cost) 0)))
  (:action grow
    :parameters (?c ?a ?b - cell ?n ?m - num)
    :precondition (and (painting ?c) (or (= ?a ?c) (owned ?a ?c)) (conn ?a ?b) (todo ?c ?n) (one-less ?m ?n) (not
      (white ?b)) (not (black ?b)) (not (robot ?b)) (forall (?x - cell) (imply (conn ?b ?x) (or (not (white ?x))
      (= ?x ?c) (owned ?x ?c)))))
    :effect (and (white ?b) (owned ?b ?c) (todo ?c ?m) (not (todo ?c ?n)) (increase (total-cost) 1)))
  (:action finish
    :parameters (?c - cell)
    :precondition (and (painting ?c) (todo ?c n0))
    :effect (and (not (painting ?c)) (moving) (done ?c) (increase (total-cost) 0))))
;; problem
(define (problem n1) (:domain nuri)
  (:objects a b c d e f - cell n1 n2 - num)
  (:init (moving) (robot a) (conn a b) (conn b a) (conn b c) (conn c b) (conn d e) (conn e d) (conn e f)
      (conn f e) (conn a d) (conn d a) (conn b e) (conn e b) (conn c f) (conn f c) (source c) (source d)
      (todo c n1) (todo d n0) (one-less n0 n1) (one-less n1 n2) (= (total-cost) 0))
  (:goal (and (done c) (done d) (forall (?x - cell) (or (white ?x) (black ?x) (robot ?x)))))
  (:metric minimize (total-cost)))
; cost 5
