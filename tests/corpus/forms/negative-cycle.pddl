(define (domain t)
  (:requirements :adl :derived-predicates)
  (:predicates (p ?x) (q ?x) (b ?x))
  (:derived (p ?x) (not (q ?x)))
  (:derived (q ?x) (and (b ?x) (not (p ?x))))
  (:action m
    :parameters (?x)
    :effect (b ?x)))
;; problem
(define (problem t1) (:domain t)
  (:objects a)
  (:init)
  (:goal (p a)))
; domain 4:26 the axioms are not stratified: 'p' needs not 'q'
; domain 5:38 the axioms are not stratified: 'q' needs not 'p'
