; A lift with rules: forbidden floors, company and attendants, all seen to by quantifiers and conditional effects.
(define (domain wards)
  (:requirements :adl :typing)
  (:types
    passenger - object
    guard prisoner visitor child - passenger
    floor - object)
  (:predicates (from ?p - passenger ?f - floor) (to ?p - passenger ?f - floor) (barred ?p - passenger ?f - floor)
    (inside ?p - passenger) (served ?p - passenger) (lift ?f - floor))
  (:action stop
    :parameters (?f - floor)
    :precondition (and (lift ?f)
      (imply (exists (?p - prisoner) (or (and (inside ?p) (not (to ?p ?f))) (and (from ?p ?f) (not (served ?p)))))
        (exists (?g - guard) (or (and (inside ?g) (not (to ?g ?f))) (and (from ?g ?f) (not (served ?g))))))
      (forall (?c - child)
        (imply (inside ?c) (or (exists (?v - visitor) (and (inside ?v) (not (to ?v ?f))))
            (exists (?g - guard) (and (inside ?g) (not (to ?g ?f))))))))
    :effect (and
      (forall (?p - passenger) (when (and (inside ?p) (to ?p ?f)) (and (not (inside ?p)) (served ?p))))
      (forall (?p - passenger) (when (and (from ?p ?f) (not (served ?p))) (inside ?p)))))
  (:action ride
    :parameters (?f ?g - floor)
    :precondition (and (lift ?f) (not (lift ?g)) (forall (?p - passenger) (or (not (inside ?p)) (not (barred ?p ?g)))))
    :effect (and (lift ?g) (not (lift ?f)))))
