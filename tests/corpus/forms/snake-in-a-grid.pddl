(define (domain slither)
  (:requirements :strips :negative-preconditions :equality)
  (:constants nowhere)
  (:predicates (next ?a ?b) (free ?c) (head ?c) (tail ?c) (link ?front ?back) (apple ?c) (spawn ?c) (after ?c ?d))
  (:action crawl
    :parameters (?h ?to ?t ?u)
    :precondition (and (head ?h) (next ?h ?to) (free ?to) (tail ?t) (link ?u ?t) (not (apple ?to)))
    :effect (and (head ?to) (not (head ?h)) (link ?to ?h) (not (free ?to)) (free ?t) (tail ?u) (not (tail ?t))
      (not (link ?u ?t))))
  (:action eat-last
    :parameters (?h ?to)
    :precondition (and (head ?h) (next ?h ?to) (free ?to) (apple ?to) (spawn nowhere))
    :effect (and (head ?to) (not (head ?h)) (link ?to ?h) (not (free ?to)) (not (apple ?to))))
  (:action eat
    :parameters (?h ?to ?new ?then)
    :precondition (and (head ?h) (next ?h ?to) (free ?to) (apple ?to) (spawn ?new) (after ?new ?then) (not
      (= ?new nowhere)))
    :effect (and (head ?to) (not (head ?h)) (link ?to ?h) (not (free ?to)) (not (apple ?to)) (apple ?new)
      (spawn ?then) (not (spawn ?new)))))
;; problem
(define (problem small) (:domain slither)
  (:objects c00 c01 c02 c10 c11 c12)
  (:init (next c00 c01) (next c01 c00) (next c01 c02) (next c02 c01) (next c10 c11) (next c11 c10) (next c11 c12)
      (next c12 c11) (next c00 c10) (next c10 c00) (next c01 c11) (next c11 c01) (next c02 c12) (next c12 c02)
      (head c01) (tail c00) (link c01 c00) (free c02) (free c10) (free c11) (free c12) (apple c12) (spawn c10)
      (after c10 nowhere))
  (:goal (and (not (apple c12)) (not (apple c10)) (spawn nowhere))))
; cost 4
