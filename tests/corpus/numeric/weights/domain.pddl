(define (domain weights)
  (:requirements :typing :numeric-fluents :disjunctive-preconditions :universal-preconditions)
  (:types stone pan - object)
  (:predicates (on ?s - stone ?p - pan) (spare ?s - stone))
  (:functions (mass ?s - stone) (total ?p - pan) (strength ?p - pan))
  (:action put
    :parameters (?s - stone ?p - pan)
    :precondition (and (spare ?s) (<= (+ (total ?p) (mass ?s)) (strength ?p)))
    :effect (and (not (spare ?s)) (on ?s ?p) (increase (total ?p) (mass ?s))))
  (:action remove
    :parameters (?s - stone ?p - pan)
    :precondition (on ?s ?p)
    :effect (and (spare ?s) (not (on ?s ?p)) (decrease (total ?p) (mass ?s))))
  (:action swap
    :parameters (?s ?t - stone ?p ?q - pan)
    :precondition (and (on ?s ?p) (on ?t ?q) (not (= ?p ?q))
      (forall (?r - pan) (<= (- (total ?r) (strength ?r)) 0)))
    :effect (and (not (on ?s ?p)) (not (on ?t ?q)) (on ?s ?q) (on ?t ?p)
      (increase (total ?p) (- (mass ?t) (mass ?s))) (increase (total ?q) (- (mass ?s) (mass ?t))))))
