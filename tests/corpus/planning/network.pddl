; Files spread over a network: recursive derived predicates, one of them the negation of another, as guards.
(define (domain network)
  (:requirements :strips :typing :derived-predicates :negative-preconditions :existential-preconditions
    :disjunctive-preconditions)
  (:types machine file)
  (:predicates (cable ?a ?b - machine) (up ?a - machine) (stored ?f - file ?a - machine) (secret ?f - file)
    (guest ?a - machine) (reaches ?a ?b - machine) (exposed ?f - file) (apart ?a ?b - machine))
  (:derived (reaches ?a ?b - machine)
    (and (up ?a) (up ?b)
      (or (cable ?a ?b) (cable ?b ?a) (exists (?c - machine) (and (reaches ?a ?c) (reaches ?c ?b))))))
  (:derived (apart ?a ?b - machine) (not (reaches ?a ?b)))
  (:derived (exposed ?f - file)
    (exists (?a ?b - machine) (and (secret ?f) (stored ?f ?a) (guest ?b) (reaches ?a ?b))))
  (:action start :parameters (?a - machine) :precondition (not (up ?a)) :effect (up ?a))
  (:action halt :parameters (?a - machine) :precondition (up ?a) :effect (not (up ?a)))
  (:action copy
    :parameters (?f - file ?a ?b - machine)
    :precondition (and (stored ?f ?a) (reaches ?a ?b) (not (stored ?f ?b)) (not (exposed ?f)))
    :effect (stored ?f ?b))
  (:action wipe
    :parameters (?f - file ?a - machine)
    :precondition (and (stored ?f ?a) (exists (?b - machine) (and (stored ?f ?b) (apart ?a ?b))))
    :effect (not (stored ?f ?a))))
