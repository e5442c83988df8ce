; A chain of nodes on a grid; turning it at one node moves the tail, one node after the other.
(define (domain folding)
  (:requirements :adl)
  (:types node cell direction turn)
  (:predicates (at ?n - node ?c - cell) (heading ?n - node ?d - direction) (link ?n ?m - node)
    (last ?n - node) (taken ?c - cell) (step ?c - cell ?d - direction ?e - cell)
    (turned ?d - direction ?t - turn ?e - direction) (free) (turns ?t - turn) (loose ?n - node)
    (lifted ?n - node) (put ?n - node))
  (:action begin
    :parameters (?n ?m - node ?t - turn ?d ?e - direction)
    :precondition (and (free) (link ?n ?m) (heading ?n ?d) (turned ?d ?t ?e))
    :effect (and (not (free)) (not (heading ?n ?d)) (heading ?n ?e) (turns ?t) (loose ?m)))
  (:action lift
    :parameters (?n - node ?c - cell)
    :precondition (and (loose ?n) (at ?n ?c))
    :effect (and (not (loose ?n)) (not (at ?n ?c)) (not (taken ?c)) (lifted ?n)))
  (:action put
    :parameters (?n ?m - node ?d - direction ?c ?e - cell)
    :precondition (and (link ?n ?m) (lifted ?m) (at ?n ?c) (heading ?n ?d) (step ?c ?d ?e) (not (taken ?e)))
    :effect (and (not (lifted ?m)) (at ?m ?e) (taken ?e) (put ?m)))
  (:action swing
    :parameters (?n ?m - node ?t - turn ?d ?e - direction)
    :precondition (and (put ?n) (link ?n ?m) (turns ?t) (heading ?n ?d) (turned ?d ?t ?e))
    :effect (and (not (put ?n)) (not (heading ?n ?d)) (heading ?n ?e) (loose ?m)))
  (:action end
    :parameters (?n - node ?t - turn)
    :precondition (and (put ?n) (last ?n) (turns ?t))
    :effect (and (not (put ?n)) (not (turns ?t)) (free))))
