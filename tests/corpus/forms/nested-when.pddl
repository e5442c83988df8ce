(define (domain t)
  (:requirements :adl)
  (:types lamp)
  (:predicates (lit ?l - lamp) (power) (broken ?l - lamp) (seen ?l - lamp))
  (:action flick
    :parameters (?l - lamp)
    :effect (when (power) (when (not (broken ?l)) (and (when (lit ?l) (not (lit ?l))) (when (not (lit ?l))
      (lit ?l))))))
  (:action on
    :parameters ()
    :effect (power))
  (:action fix
    :parameters (?l - lamp)
    :effect (not (broken ?l))))
;; problem
(define (problem t1) (:domain t)
  (:objects a b c - lamp)
  (:init (lit a) (broken b))
  (:goal (and (not (lit a)) (lit b) (not (lit c)))))
; cost 4
