(define (domain ferry-things)
  (:requirements :typing :equality)
  (:types car bike cart - vehicle  vehicle shore boat - object)
  (:predicates (at ?v - (either vehicle boat) ?s - shore) (on ?v - (either car bike) ?b - boat) (free ?b - boat)
      (heavy ?v - (either cart car)))
  (:action board
    :parameters (?v - (either car bike) ?s - shore ?b - boat)
    :precondition (and (at ?v ?s) (at ?b ?s) (free ?b))
    :effect (and (not (at ?v ?s)) (on ?v ?b) (not (free ?b))))
  (:action land
    :parameters (?v - (either bike car) ?s - shore ?b - boat)
    :precondition (and (on ?v ?b) (at ?b ?s))
    :effect (and (at ?v ?s) (not (on ?v ?b)) (free ?b)))
  (:action sail
    :parameters (?b - boat ?from ?to - shore)
    :precondition (and (at ?b ?from) (not (= ?from ?to)))
    :effect (and (at ?b ?to) (not (at ?b ?from)))))
;; problem
(define (problem f1) (:domain ferry-things)
  (:objects c1 - car b1 - bike k1 - cart left right - shore bo - boat)
  (:init (at c1 left) (at b1 right) (at bo left) (free bo) (at k1 left))
  (:goal (forall (?v - (either car bike)) (exists (?s - shore) (and (at ?v ?s) (= ?s right))))))
; cost 3
; Fast Downward refuses this
