(define (domain valves)
  (:requirements :adl)
  (:types pipe fluid)
  (:predicates (in ?f - fluid ?p - pipe) (joined ?a ?b - pipe) (danger ?f ?g - fluid) (open ?a ?b - pipe)
      (clean ?p - pipe))
  (:action toggle
    :parameters (?a ?b - pipe)
    :precondition (joined ?a ?b)
    :effect (and (when (open ?a ?b) (not (open ?a ?b))) (when (not (open ?a ?b)) (open ?a ?b))))
  (:action pump
    :parameters (?a ?b - pipe)
    :precondition (and (joined ?a ?b) (open ?a ?b) (forall (?f ?g - fluid) (imply (and (in ?f ?a) (in ?g ?b)) (not
      (or (danger ?f ?g) (danger ?g ?f))))))
    :effect (and (clean ?a) (not (clean ?b)) (forall (?f - fluid) (and (when (in ?f ?a) (in ?f ?b)) (when (and
      (in ?f ?a) (not (= ?a ?b))) (not (in ?f ?a)))))))
  (:action flush
    :parameters (?p - pipe)
    :precondition (not (clean ?p))
    :effect (and (forall (?f - fluid) (not (in ?f ?p))) (clean ?p))))
;; problem
(define (problem v1) (:domain valves)
  (:objects a b c d - pipe acid base water - fluid)
  (:init (in acid a) (in base c) (in water b) (joined a b) (joined b c) (joined b d) (joined c d) (joined b a)
      (danger acid base) (open a b))
  (:goal (and (in acid d) (in base c) (not (in water d)) (clean b))))
; cost 4
