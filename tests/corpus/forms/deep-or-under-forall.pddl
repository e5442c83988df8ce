(define (domain c)
  (:requirements :adl)
  (:types v t)
  (:predicates (asg ?v - v) (true ?v - v) (sat) (pos ?c - t ?v - v) (neg ?c - t ?v - v))
  (:action yes
    :parameters (?v - v)
    :precondition (not (asg ?v))
    :effect (and (asg ?v) (true ?v)))
  (:action no
    :parameters (?v - v)
    :precondition (not (asg ?v))
    :effect (asg ?v))
  (:action done
    :parameters ()
    :precondition (forall (?c - t) (exists (?v - v) (or (and (pos ?c ?v) (asg ?v) (true ?v)) (and (neg ?c ?v)
      (asg ?v) (not (true ?v))))))
    :effect (sat)))
;; problem
(define (problem c1) (:domain c)
  (:objects v1 v2 v3 - v c1 c2 c3 - t)
  (:init (pos c1 v1) (neg c1 v2) (neg c2 v1) (pos c2 v3) (neg c3 v3) (neg c3 v2))
  (:goal (sat)))
; cost 3
