; Boxes are pushed in straight lines; only pushes cost.
(define (domain pushing)
  (:requirements :typing :action-costs)
  (:types cell box way)
  (:predicates (next ?a ?b - cell ?w - way) (me ?a - cell) (box-at ?x - box ?a - cell) (clear ?a - cell)
    (home ?a - cell) (done ?x - box))
  (:functions (total-cost) - number)
  (:action step
    :parameters (?a ?b - cell ?w - way)
    :precondition (and (me ?a) (clear ?b) (next ?a ?b ?w))
    :effect (and (me ?b) (clear ?a) (not (me ?a)) (not (clear ?b))))
  (:action push
    :parameters (?x - box ?a ?b ?c - cell ?w - way)
    :precondition (and (me ?a) (box-at ?x ?b) (clear ?c) (next ?a ?b ?w) (next ?b ?c ?w))
    :effect (and (me ?b) (box-at ?x ?c) (clear ?a) (not (me ?a)) (not (box-at ?x ?b)) (not (clear ?c))
      (not (done ?x)) (increase (total-cost) 1)))
  (:action settle
    :parameters (?x - box ?a - cell)
    :precondition (and (box-at ?x ?a) (home ?a))
    :effect (and (done ?x) (increase (total-cost) 0))))
