(define (domain organic)
  (:requirements :strips :typing :equality :negative-preconditions)
  (:types atom - object carbon oxygen hydrogen metal - atom halogen - atom)
  (:predicates (bond ?x ?y - atom) (doublebond ?x ?y - atom) (aromatic ?x ?y - atom))
  (:action hydrolysis
    :parameters (?c1 ?c2 - carbon ?h1 ?h2 - hydrogen ?o - oxygen)
    :precondition (and (not (= ?c1 ?c2)) (not (= ?h1 ?h2)) (doublebond ?c1 ?c2) (bond ?o ?h1) (bond ?o ?h2))
    :effect (and (not (doublebond ?c1 ?c2)) (not (doublebond ?c2 ?c1)) (bond ?c1 ?c2) (bond ?c2 ?c1) (not
      (bond ?o ?h1)) (not (bond ?h1 ?o)) (bond ?c1 ?h1) (bond ?h1 ?c1) (bond ?c2 ?o) (bond ?o ?c2)))
  (:action oxidise
    :parameters (?c - carbon ?o ?o1 ?o2 - oxygen ?h ?k - hydrogen)
    :precondition (and (bond ?c ?o) (bond ?o ?h) (bond ?c ?k) (not (= ?h ?k)) (doublebond ?o1 ?o2) (not
      (= ?o ?o1)) (not (= ?o ?o2)) (not (= ?o1 ?o2)))
    :effect (and (doublebond ?c ?o) (doublebond ?o ?c) (not (bond ?c ?o)) (not (bond ?o ?c)) (not (bond ?o ?h))
      (not (bond ?h ?o)) (not (bond ?c ?k)) (not (bond ?k ?c)) (bond ?o1 ?h) (bond ?h ?o1) (bond ?o1 ?k)
      (bond ?k ?o1) (not (doublebond ?o1 ?o2)) (not (doublebond ?o2 ?o1))))
  (:action swap
    :parameters (?x - carbon ?y ?z - (either hydrogen halogen) ?w - carbon)
    :precondition (and (bond ?x ?y) (bond ?w ?z) (not (= ?x ?w)))
    :effect (and (not (bond ?x ?y)) (not (bond ?y ?x)) (bond ?x ?z) (bond ?z ?x) (not (bond ?w ?z)) (not
      (bond ?z ?w)) (bond ?w ?y) (bond ?y ?w))))
;; problem
(define (problem o1) (:domain organic)
  (:objects c1 c2 - carbon h1 h2 h3 h4 h5 h6 - hydrogen o1 o2 o3 - oxygen)
  (:init (doublebond c1 c2) (doublebond c2 c1) (bond c1 h1) (bond h1 c1) (bond c1 h2) (bond h2 c1) (bond c2 h3)
      (bond h3 c2) (bond c2 h4) (bond h4 c2) (bond o1 h5) (bond h5 o1) (bond o1 h6) (bond h6 o1)
      (doublebond o2 o3) (doublebond o3 o2))
  (:goal (and (bond c1 h5) (doublebond c2 o1) (bond c1 c2))))
; cost 2
; Fast Downward refuses this
