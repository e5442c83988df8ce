(define (domain c)
  (:requirements :typing)
  (:types ball room)
  (:predicates (in ?b - ball ?r - room) (carry ?b - ball) (here ?r - room))
  (:action pick
    :parameters (?b ?r)
    :precondition (and (in ?b ?r) (here ?r))
    :effect (and (carry ?b) (not (in ?b ?r))))
  (:action go
    :parameters (?r ?s)
    :precondition (here ?r)
    :effect (and (here ?s) (not (here ?r))))
  (:action drop
    :parameters (?b ?r)
    :precondition (and (carry ?b) (here ?r))
    :effect (and (in ?b ?r) (not (carry ?b)))))
;; problem
(define (problem c1) (:domain c)
  (:objects b1 b2 - ball r1 r2 - room)
  (:init (in b1 r1) (in b2 r1) (here r1))
  (:goal (and (in b1 r2) (exists (?x ?y) (and (in ?x ?y) (not (= ?x b1)) (not (in ?x r1)))))))
; cost 5
