; Wood becomes coal and boards, ships carry them: amounts are objects, prices are functions of several things.
(define (domain settlers)
  (:requirements :typing :action-costs :negative-preconditions :disjunctive-preconditions :conditional-effects)
  (:types
    raw made - good
    cart ship - vehicle
    good vehicle site amount - object)
  (:constants
    wood - raw
    coal board - made)
  (:predicates (stock ?g - good ?s - site ?n - amount) (load ?g - good ?v - vehicle) (bare ?v - vehicle)
    (plus ?n ?m - amount) (forest ?s - site) (land ?s ?t - site) (sea ?s ?t - site) (kiln ?s - site) (saw ?s - site)
    (port ?s - site) (stands ?v - vehicle ?s - site) (houses ?s - site) (polluted ?s - site) (full ?n - amount))
  (:functions (total-cost) - number (effort ?g - good) - number (toll ?v - vehicle ?s ?t - site) - number
    (labour) - number)
  (:action fell
    :parameters (?s - site ?n ?m - amount)
    :precondition (and (forest ?s) (stock wood ?s ?n) (plus ?n ?m))
    :effect (and (stock wood ?s ?m) (not (stock wood ?s ?n)) (increase (total-cost) (labour))))
  (:action make
    :parameters (?g - made ?s - site ?n ?m ?k ?l - amount)
    :precondition (and (or (and (= ?g coal) (kiln ?s)) (and (= ?g board) (saw ?s)))
      (stock wood ?s ?n) (plus ?m ?n) (stock ?g ?s ?k) (plus ?k ?l))
    :effect (and (stock wood ?s ?m) (not (stock wood ?s ?n)) (stock ?g ?s ?l) (not (stock ?g ?s ?k))
      (when (= ?g coal) (polluted ?s)) (increase (total-cost) (effort ?g))))
  (:action build-kiln
    :parameters (?s - site)
    :precondition (not (kiln ?s))
    :effect (and (kiln ?s) (increase (total-cost) 3)))
  (:action build-saw
    :parameters (?s - site ?n ?m - amount)
    :precondition (and (not (saw ?s)) (stock wood ?s ?n) (plus ?m ?n))
    :effect (and (saw ?s) (stock wood ?s ?m) (not (stock wood ?s ?n)) (increase (total-cost) 2)))
  (:action load
    :parameters (?g - good ?v - vehicle ?s - site ?n ?m - amount)
    :precondition (and (stands ?v ?s) (bare ?v) (stock ?g ?s ?n) (plus ?m ?n))
    :effect (and (load ?g ?v) (not (bare ?v)) (stock ?g ?s ?m) (not (stock ?g ?s ?n)) (increase (total-cost) 1)))
  (:action unload
    :parameters (?g - good ?v - vehicle ?s - site ?n ?m - amount)
    :precondition (and (stands ?v ?s) (load ?g ?v) (stock ?g ?s ?n) (plus ?n ?m))
    :effect (and (bare ?v) (not (load ?g ?v)) (stock ?g ?s ?m) (not (stock ?g ?s ?n)) (increase (total-cost) 1)))
  (:action travel
    :parameters (?v - vehicle ?s ?t - site)
    :precondition (and (stands ?v ?s)
      (or (and (land ?s ?t) (not (sea ?s ?t))) (and (sea ?s ?t) (port ?s) (port ?t))))
    :effect (and (stands ?v ?t) (not (stands ?v ?s)) (increase (total-cost) (toll ?v ?s ?t))))
  (:action house
    :parameters (?s - site ?n ?m - amount)
    :precondition (and (not (houses ?s)) (not (polluted ?s)) (stock board ?s ?n) (plus ?m ?n))
    :effect (and (houses ?s) (stock board ?s ?m) (not (stock board ?s ?n)) (increase (total-cost) 1))))
