; A robot on a grid puts things into cupboards: disjunctions, implications and quantifiers in preconditions.
(define (domain tidying)
  (:requirements :adl)
  (:types
    cell thing - object
    robot movable fixed - thing
    cart item - movable
    cupboard wall - fixed)
  (:predicates (at ?x - thing ?c - cell) (left-of ?a ?b - cell) (above ?a ?b - cell) (has ?r - robot ?i - item)
    (pushes ?r - robot ?c - cart) (on ?i - item ?c - cart) (stored ?i - item ?u - cupboard) (open ?u - cupboard)
    (for ?u - cupboard ?i - item))
  (:action go
    :parameters (?r - robot ?a ?b - cell)
    :precondition (and (at ?r ?a)
      (or (left-of ?a ?b) (left-of ?b ?a) (above ?a ?b) (above ?b ?a))
      (not (or (exists (?x - fixed) (at ?x ?b)) (exists (?x - cart) (at ?x ?b))))
      (forall (?c - cart) (not (pushes ?r ?c))))
    :effect (and (at ?r ?b) (not (at ?r ?a))))
  (:action push
    :parameters (?r - robot ?c - cart ?a ?b ?d - cell)
    :precondition (and (at ?r ?a) (at ?c ?b) (pushes ?r ?c)
      (or (and (left-of ?a ?b) (left-of ?b ?d)) (and (left-of ?b ?a) (left-of ?d ?b))
        (and (above ?a ?b) (above ?b ?d)) (and (above ?b ?a) (above ?d ?b)))
      (forall (?x - thing) (not (at ?x ?d))))
    :effect (and (at ?r ?b) (not (at ?r ?a)) (at ?c ?d) (not (at ?c ?b))))
  (:action grip
    :parameters (?r - robot ?c - cart)
    :precondition (and (not (exists (?i - item) (has ?r ?i))) (not (pushes ?r ?c))
      (exists (?a ?b - cell) (and (at ?r ?a) (at ?c ?b)
        (or (left-of ?a ?b) (left-of ?b ?a) (above ?a ?b) (above ?b ?a)))))
    :effect (pushes ?r ?c))
  (:action let-go
    :parameters (?r - robot ?c - cart)
    :precondition (pushes ?r ?c)
    :effect (not (pushes ?r ?c)))
  (:action take
    :parameters (?r - robot ?i - item ?a - cell)
    :precondition (and (at ?r ?a) (at ?i ?a) (forall (?j - item) (not (has ?r ?j)))
      (not (exists (?c - cart) (pushes ?r ?c))))
    :effect (and (has ?r ?i) (not (at ?i ?a))))
  (:action drop
    :parameters (?r - robot ?i - item ?a - cell)
    :precondition (and (at ?r ?a) (has ?r ?i))
    :effect (and (at ?i ?a) (not (has ?r ?i))))
  (:action open
    :parameters (?r - robot ?u - cupboard ?a ?b - cell)
    :precondition (and (at ?r ?a) (at ?u ?b) (not (open ?u)) (imply (exists (?i - item) (has ?r ?i)) (left-of ?a ?b))
      (or (left-of ?a ?b) (left-of ?b ?a) (above ?a ?b) (above ?b ?a)))
    :effect (open ?u))
  (:action store
    :parameters (?r - robot ?i - item ?u - cupboard ?a ?b - cell)
    :precondition (and (at ?r ?a) (at ?u ?b) (open ?u) (has ?r ?i) (for ?u ?i)
      (or (left-of ?a ?b) (left-of ?b ?a) (above ?a ?b) (above ?b ?a)))
    :effect (and (stored ?i ?u) (not (has ?r ?i)))))
