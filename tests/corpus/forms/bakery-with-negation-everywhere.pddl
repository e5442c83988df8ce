(define (domain kitchen)
  (:requirements :strips :typing :negative-preconditions)
  (:types hand level container dispenser drink - object shot shaker - container)
  (:constants l0 l1 l2 - level)
  (:predicates (ontable ?c - container) (holding ?h - hand ?c - container) (handempty ?h - hand)
      (empty ?c - container) (contains ?c - container ?d - drink) (clean ?c - container)
      (used ?c - container ?d - drink) (dispenses ?s - dispenser ?d - drink) (shaken ?s - shaker)
      (unshaken ?s - shaker) (level ?s - shaker ?l - level) (next ?a ?b - level) (mix ?c ?a ?b - drink))
  (:action grasp
    :parameters (?h - hand ?c - container)
    :precondition (and (ontable ?c) (handempty ?h))
    :effect (and (not (ontable ?c)) (not (handempty ?h)) (holding ?h ?c)))
  (:action leave
    :parameters (?h - hand ?c - container)
    :precondition (holding ?h ?c)
    :effect (and (not (holding ?h ?c)) (handempty ?h) (ontable ?c)))
  (:action fill
    :parameters (?s - shot ?d - drink ?h ?k - hand ?p - dispenser)
    :precondition (and (holding ?h ?s) (handempty ?k) (dispenses ?p ?d) (empty ?s) (clean ?s))
    :effect (and (not (empty ?s)) (contains ?s ?d) (not (clean ?s)) (used ?s ?d)))
  (:action pour-in
    :parameters (?s - shot ?d - drink ?h - hand ?k - shaker ?l ?m - level)
    :precondition (and (holding ?h ?s) (contains ?s ?d) (level ?k ?l) (next ?l ?m) (not (shaken ?k)))
    :effect (and (not (contains ?s ?d)) (empty ?s) (contains ?k ?d) (not (empty ?k)) (not (clean ?k))
      (unshaken ?k) (not (level ?k ?l)) (level ?k ?m)))
  (:action rinse
    :parameters (?s - shot ?d - drink ?h ?k - hand)
    :precondition (and (holding ?h ?s) (handempty ?k) (empty ?s) (used ?s ?d))
    :effect (and (not (used ?s ?d)) (clean ?s)))
  (:action shake
    :parameters (?c ?a ?b - drink ?s - shaker ?h ?k - hand)
    :precondition (and (holding ?h ?s) (handempty ?k) (contains ?s ?a) (contains ?s ?b) (mix ?c ?a ?b) (unshaken ?s))
    :effect (and (not (unshaken ?s)) (not (contains ?s ?a)) (not (contains ?s ?b)) (shaken ?s) (contains ?s ?c)))
  (:action serve
    :parameters (?c - drink ?t - shot ?h - hand ?s - shaker ?l ?m - level)
    :precondition (and (holding ?h ?s) (shaken ?s) (empty ?t) (clean ?t) (contains ?s ?c) (level ?s ?l) (next ?m ?l))
    :effect (and (not (clean ?t)) (not (empty ?t)) (contains ?t ?c) (level ?s ?m) (not (level ?s ?l)))))
;; problem
(define (problem k1) (:domain kitchen)
  (:objects left right - hand sh1 - shaker s1 s2 - shot gin tonic mule - drink g t - dispenser)
  (:init (ontable sh1) (ontable s1) (ontable s2) (handempty left) (handempty right) (empty sh1) (empty s1)
      (empty s2) (clean sh1) (clean s1) (clean s2) (dispenses g gin) (dispenses t tonic) (level sh1 l0)
      (next l0 l1) (next l1 l2) (mix mule gin tonic))
  (:goal (and (contains s2 mule) (not (holding left sh1)))))
; cost 10
