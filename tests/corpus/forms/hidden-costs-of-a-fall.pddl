(define (domain hike)
  (:requirements :adl :action-costs)
  (:types spot gear)
  (:predicates (at ?s - spot) (path ?a ?b - spot) (steep ?a ?b - spot) (worn ?g - gear) (rope ?g - gear) (hurt)
      (night) (tired))
  (:functions (total-cost) (metres ?a ?b - spot) - number)
  (:action hike
    :parameters (?a ?b - spot)
    :precondition (and (at ?a) (path ?a ?b) (not (hurt)) (imply (night) (not (steep ?a ?b))))
    :effect (and (not (at ?a)) (at ?b) (when (and (steep ?a ?b) (not (exists (?g - gear) (and (worn ?g)
      (rope ?g))))) (hurt)) (when (tired) (night)) (when (not (tired)) (tired)) (increase (total-cost)
      (metres ?a ?b))))
  (:action sleep
    :parameters (?a - spot)
    :precondition (at ?a)
    :effect (and (not (night)) (not (tired)) (not (hurt)) (increase (total-cost) 7)))
  (:action wear
    :parameters (?g - gear)
    :precondition (not (worn ?g))
    :effect (and (worn ?g) (forall (?o - gear) (when (and (worn ?o) (not (= ?o ?g))) (not (worn ?o)))) (increase
      (total-cost) 2))))
;; problem
(define (problem h1) (:domain hike)
  (:objects base ridge col top - spot boots cord - gear)
  (:init (at base) (path base ridge) (path ridge col) (path col top) (path base top) (steep base top)
      (steep col top) (rope cord) (= (metres base ridge) 3) (= (metres ridge col) 3) (= (metres col top) 2) (=
      (metres base top) 20) (= (total-cost) 0))
  (:goal (and (at top) (not (hurt)) (worn boots)))
  (:metric minimize (total-cost)))
; cost 19
