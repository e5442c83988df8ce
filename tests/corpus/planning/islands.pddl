; A painter makes islands of given sizes; a new island blocks the cells around it.
(define (domain islands)
  (:requirements :adl)
  (:types cell group size)
  (:predicates (adjacent ?a ?b - cell) (here ?a - cell) (free ?a - cell) (water ?a - cell) (blocked ?a - cell)
    (source ?a - cell ?g - group) (of ?a - cell ?g - group) (left ?g - group ?n - size) (less ?n ?m - size)
    (none ?n - size) (painting ?g - group) (walking) (done ?g - group))
  (:action walk
    :parameters (?a ?b - cell)
    :precondition (and (here ?a) (adjacent ?a ?b) (walking))
    :effect (and (here ?b) (not (here ?a))))
  (:action begin
    :parameters (?a - cell ?g - group ?n ?m - size)
    :precondition (and (walking) (here ?a) (source ?a ?g) (left ?g ?n) (less ?m ?n) (not (done ?g)))
    :effect (and (painting ?g) (of ?a ?g) (left ?g ?m) (not (left ?g ?n)) (not (walking)) (not (free ?a))
      (forall (?b - cell) (when (adjacent ?a ?b) (blocked ?b)))))
  (:action extend
    :parameters (?a ?b - cell ?g - group ?n ?m - size)
    :precondition (and (painting ?g) (here ?a) (of ?a ?g) (adjacent ?a ?b) (free ?b) (left ?g ?n) (less ?m ?n)
      (forall (?c - cell ?h - group)
        (imply (and (adjacent ?b ?c) (of ?c ?h)) (= ?h ?g)))
      (not (exists (?c - cell ?h - group) (and (adjacent ?b ?c) (source ?c ?h) (not (= ?h ?g))))))
    :effect (and (of ?b ?g) (here ?b) (not (here ?a)) (not (free ?b)) (left ?g ?m) (not (left ?g ?n))
      (forall (?c - cell) (when (and (adjacent ?b ?c) (free ?c)) (blocked ?c)))))
  (:action end
    :parameters (?g - group ?n - size)
    :precondition (and (painting ?g) (left ?g ?n) (none ?n))
    :effect (and (done ?g) (walking) (not (painting ?g)))))
