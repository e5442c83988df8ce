(define (domain c)
  (:requirements :strips :typing)
  (:types atom bond)
  (:predicates (b ?x ?y - atom) (h ?x) (o ?x) (n ?x) (c ?x))
  (:action react
    :parameters (?a1 ?a2 ?a3 ?a4 ?a5 ?a6 ?a7 ?a8 ?a9 ?a10 ?a11 ?a12 - atom)
    :precondition (and (b ?a1 ?a2) (b ?a2 ?a3) (b ?a3 ?a4) (b ?a4 ?a5) (b ?a5 ?a6) (b ?a6 ?a7) (b ?a7 ?a8)
      (b ?a8 ?a9) (b ?a9 ?a10) (b ?a10 ?a11) (b ?a11 ?a12) (c ?a1) (c ?a2) (o ?a12) (not (= ?a1 ?a12)) (h ?a6))
    :effect (and (not (b ?a1 ?a2)) (not (b ?a2 ?a1)) (b ?a1 ?a12) (b ?a12 ?a1))))
;; problem
(define (problem c1) (:domain c)
  (:objects k1 k2 k3 k4 k5 k6 k7 k8 k9 k10 k11 k12 - atom)
  (:init (b k1 k2) (b k2 k1) (b k2 k3) (b k3 k2) (b k3 k4) (b k4 k3) (b k4 k5) (b k5 k4) (b k5 k6) (b k6 k5)
      (b k6 k7) (b k7 k6) (b k7 k8) (b k8 k7) (b k8 k9) (b k9 k8) (b k9 k10) (b k10 k9) (b k10 k11) (b k11 k10)
      (b k11 k12) (b k12 k11)(c k1) (c k2) (c k3) (o k12) (o k11) (h k6) (h k5) (h k7))
  (:goal (b k1 k12)))
; cost 1
