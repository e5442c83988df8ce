(define (domain t)
  (:requirements :adl :derived-predicates)
  (:types room)
  (:predicates (door ?a ?b - room) (light ?a - room) (reach ?a - room) (dark) (hidden ?a - room) (here ?a - room)
      (safe))
  (:derived (reach ?a) (or (here ?a) (exists (?b - room) (and (reach ?b) (door ?b ?a)))))
  (:derived (hidden ?a) (not (reach ?a)))
  (:derived (dark) (exists (?a - room) (and (reach ?a) (not (light ?a)))))
  (:derived (safe) (and (not (dark)) (forall (?a - room) (imply (light ?a) (not (hidden ?a))))))
  (:action lamp
    :parameters (?a - room)
    :precondition (not (hidden ?a))
    :effect (light ?a))
  (:action shut
    :parameters (?a ?b - room)
    :precondition (door ?a ?b)
    :effect (not (door ?a ?b))))
;; problem
(define (problem t1) (:domain t)
  (:objects a b c d - room)
  (:init (here a) (door a b) (door b c) (door c d) (light a))
  (:goal (and (safe) (light b) (reach b))))
; cost 2
