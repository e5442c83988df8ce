(define (domain colony)
  (:requirements :adl :action-costs)
  (:types site good amount - object)
  (:constants zero one - amount)
  (:predicates (store ?s - site ?g - good ?n - amount) (plus1 ?a ?b - amount) (road ?a ?b - site) (mine ?s - site)
      (built ?s - site) (fire ?s - site))
  (:functions (total-cost) - number (toil ?s - site) - number)
  (:action dig
    :parameters (?s - site ?g - good ?n ?m - amount)
    :precondition (and (mine ?s) (store ?s ?g ?n) (plus1 ?n ?m))
    :effect (and (not (store ?s ?g ?n)) (store ?s ?g ?m) (when (fire ?s) (and (not (fire ?s)) (forall (?o - good)
      (when (and (store ?s ?o zero) (not (= ?o ?g))) (and (store ?s ?o one) (not (store ?s ?o zero)))))))
      (increase (total-cost) (toil ?s))))
  (:action haul
    :parameters (?a ?b - site ?g - good ?n ?m ?k ?l - amount)
    :precondition (and (or (road ?a ?b) (road ?b ?a)) (store ?a ?g ?n) (plus1 ?m ?n) (store ?b ?g ?k) (plus1 ?k ?l))
    :effect (and (not (store ?a ?g ?n)) (store ?a ?g ?m) (not (store ?b ?g ?k)) (store ?b ?g ?l) (increase
      (total-cost) 1)))
  (:action build
    :parameters (?s - site)
    :precondition (and (not (built ?s)) (forall (?g - good) (exists (?n ?m - amount) (and (plus1 ?m ?n)
      (store ?s ?g ?n)))))
    :effect (and (built ?s) (forall (?g - good ?n ?m - amount) (when (and (store ?s ?g ?n) (plus1 ?m ?n)) (and
      (not (store ?s ?g ?n)) (store ?s ?g ?m)))) (increase (total-cost) 0))))
;; problem
(define (problem c1) (:domain colony)
  (:objects hill town - site ore wood - good two - amount)
  (:init (store hill ore zero) (store hill wood zero) (store town ore zero) (store town wood zero)
      (plus1 zero one) (plus1 one two) (road town hill) (mine hill) (fire hill) (= (toil hill) 3) (=
      (toil town) 1) (= (total-cost) 0))
  (:goal (or (and (built town) (mine hill)) (built hill)))
  (:metric minimize (total-cost)))
; cost 3
; Fast Downward refuses this
