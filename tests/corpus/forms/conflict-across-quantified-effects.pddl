(define (domain t)
  (:requirements :adl)
  (:predicates (on ?x) (sel ?x))
  (:action only
    :parameters (?x)
    :effect (and (forall (?y) (not (on ?y))) (on ?x)))
  (:action also
    :parameters (?x)
    :effect (and (forall (?y) (when (sel ?y) (on ?y))) (not (on ?x)))))
;; problem
(define (problem t1) (:domain t)
  (:objects a b c)
  (:init (on b) (sel a) (sel b))
  (:goal (and (on a) (on b) (not (on c)))))
; cost 1
