; A robot paints groups of cells white, each group from its source; no two groups may touch.
(define (domain nurikabe)
  (:requirements :adl)
  (:types cell group count)
  (:predicates (near ?a ?b - cell) (robot ?c - cell) (walking) (in-group ?g - group) (left ?g - group ?n - count)
    (next ?n ?m - count) (source ?c - cell ?g - group) (open ?c - cell) (black ?c - cell) (white ?c - cell)
    (of ?c - cell ?g - group) (bars ?c - cell ?g - group) (done ?g - group) (zero ?n - count))
  (:action walk
    :parameters (?a ?b - cell)
    :precondition (and (walking) (robot ?a) (near ?a ?b))
    :effect (and (not (robot ?a)) (robot ?b)))
  (:action start
    :parameters (?c - cell ?g - group ?n ?m - count)
    :precondition (and (walking) (robot ?c) (source ?c ?g) (left ?g ?n) (next ?m ?n))
    :effect (and (not (walking)) (in-group ?g) (white ?c) (of ?c ?g) (not (left ?g ?n)) (left ?g ?m)
      (forall (?b - cell) (when (near ?c ?b) (bars ?b ?g)))))
  (:action paint
    :parameters (?a ?b - cell ?g - group ?n ?m - count)
    :precondition (and (in-group ?g) (robot ?a) (near ?a ?b) (open ?b) (not (white ?b)) (left ?g ?n) (next ?m ?n)
      (forall (?h - group) (or (= ?h ?g) (not (bars ?b ?h)))))
    :effect (and (not (robot ?a)) (robot ?b) (white ?b) (of ?b ?g) (not (left ?g ?n)) (left ?g ?m)
      (forall (?c - cell) (when (near ?b ?c) (bars ?c ?g)))))
  (:action walk-in-group
    :parameters (?a ?b - cell ?g - group)
    :precondition (and (in-group ?g) (robot ?a) (near ?a ?b) (of ?b ?g))
    :effect (and (not (robot ?a)) (robot ?b)))
  (:action finish
    :parameters (?g - group ?n - count)
    :precondition (and (in-group ?g) (left ?g ?n) (zero ?n))
    :effect (and (not (in-group ?g)) (walking) (done ?g))))
