; Vans with room for a number of parcels.
(define (domain haulage)
  (:requirements :typing :action-costs)
  (:types van parcel - movable movable place amount - object)
  (:predicates (at ?x - movable ?p - place) (in ?x - parcel ?v - van) (road ?p ?q - place)
    (room ?v - van ?n - amount) (after ?n ?m - amount))
  (:functions (length ?p ?q - place) - number (total-cost) - number)
  (:action move
    :parameters (?v - van ?p ?q - place)
    :precondition (and (at ?v ?p) (road ?p ?q))
    :effect (and (not (at ?v ?p)) (at ?v ?q) (increase (total-cost) (length ?p ?q))))
  (:action fetch
    :parameters (?x - parcel ?v - van ?p - place ?less ?more - amount)
    :precondition (and (at ?v ?p) (at ?x ?p) (after ?less ?more) (room ?v ?more))
    :effect (and (not (at ?x ?p)) (in ?x ?v) (not (room ?v ?more)) (room ?v ?less) (increase (total-cost) 1)))
  (:action leave
    :parameters (?x - parcel ?v - van ?p - place ?less ?more - amount)
    :precondition (and (at ?v ?p) (in ?x ?v) (after ?less ?more) (room ?v ?less))
    :effect (and (at ?x ?p) (not (in ?x ?v)) (room ?v ?more) (not (room ?v ?less)) (increase (total-cost) 1))))
