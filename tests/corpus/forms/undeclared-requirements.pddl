(define (domain u)
  (:predicates (p ?x) (q ?x) (r))
  (:action m
    :parameters (?x ?y)
    :precondition (and (or (p ?x) (q ?x)) (not (= ?x ?y)) (forall (?z) (imply (p ?z) (not (q ?z)))))
    :effect (and (when (p ?x) (not (p ?x))) (q ?x) (when (not (p ?y)) (r)))))
;; problem
(define (problem u1) (:domain u)
  (:objects a b c)
  (:init (p a) (p b))
  (:goal (and (r) (q a) (not (p b)))))
; cost 2
