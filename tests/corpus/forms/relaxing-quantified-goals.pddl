(define (domain elevators)
  (:requirements :adl)
  (:types passenger - object going-up going-down vip never-alone - passenger floor - object)
  (:predicates (origin ?p - passenger ?f - floor) (destin ?p - passenger ?f - floor) (above ?a ?b - floor)
      (boarded ?p - passenger) (served ?p - passenger) (lift ?f - floor) (attendant ?p - passenger))
  (:action stop
    :parameters (?f - floor)
    :precondition (and (lift ?f) (imply (exists (?p - never-alone) (or (and (origin ?p ?f) (not (served ?p))) (and
      (boarded ?p) (not (destin ?p ?f))))) (exists (?q - passenger) (and (attendant ?q) (or (and (boarded ?q) (not
      (destin ?q ?f))) (and (origin ?q ?f) (not (served ?q))))))) (forall (?v - vip) (or (served ?v) (exists
      (?g - floor) (and (= ?g ?f) (or (origin ?v ?g) (destin ?v ?g)))))))
    :effect (and (forall (?p - passenger) (when (and (boarded ?p) (destin ?p ?f)) (and (not (boarded ?p))
      (served ?p)))) (forall (?p - passenger) (when (and (origin ?p ?f) (not (served ?p))) (boarded ?p)))))
  (:action up
    :parameters (?a ?b - floor)
    :precondition (and (lift ?a) (above ?a ?b) (forall (?p - going-down) (not (boarded ?p))))
    :effect (and (lift ?b) (not (lift ?a))))
  (:action down
    :parameters (?a ?b - floor)
    :precondition (and (lift ?a) (above ?b ?a) (forall (?p - going-up) (not (boarded ?p))))
    :effect (and (lift ?b) (not (lift ?a)))))
;; problem
(define (problem e1) (:domain elevators)
  (:objects f0 f1 f2 - floor v - vip u - going-up n - never-alone a - passenger)
  (:init (above f0 f1) (above f1 f2) (above f0 f2) (origin v f1) (destin v f0) (origin u f0) (destin u f2)
      (origin n f1) (destin n f2) (origin a f1) (destin a f2) (attendant a) (lift f0))
  (:goal (forall (?p - passenger) (served ?p))))
; cost 6
