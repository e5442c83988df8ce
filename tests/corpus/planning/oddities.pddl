; Legal, but rare: no requirements, predicates and actions named like types, either, constants, no parameters, empty
; preconditions, equality unannounced, conditions in conditions, an atom both deleted and added, upper case, numbers in names.
(DEFINE (domain oddities)
  (:types ball box - toy toy place person - object red-ball - ball)
  (:constants HOME - place spare-1 - red-ball)
  (:predicates (ball ?x - ball) (box ?x) (at ?x - (either toy person) ?p - place) (light) (place) (in ?b - ball ?x - box)
    (likes ?p - person ?x - (either ball box)) (happy ?p - person))
  (:action light :parameters () :precondition () :effect (and (light) (when (light) (not (light)))))
  (:action Place :parameters (?x - toy) :precondition (at ?x home) :effect (and (place) (not (place)) (box ?x)))
  (:action move
    :parameters (?x - (either toy person) ?p ?q - place)
    :precondition (and (at ?x ?p) (not (= ?p ?q)) (or (light) (= ?q home) (and (= ?x spare-1) (place))))
    :effect (and (not (at ?x ?p)) (at ?x ?q)))
  (:action pack
    :parameters (?b - ball ?x - box ?p - place)
    :precondition (and (at ?b ?p) (at ?x ?p) (box ?x) (forall (?c - red-ball) (not (in ?c ?x))))
    :effect (and (in ?b ?x) (not (at ?b ?p)) (ball ?b)))
  (:action unpack
    :parameters (?b - ball ?x - box ?p - place)
    :precondition (and (in ?b ?x) (at ?x ?p))
    :effect (and (not (in ?b ?x)) (at ?b ?p)))
  (:action cheer
    :parameters (?p - person)
    :precondition (exists (?x - (either ball box) ?q - place) (and (likes ?p ?x) (at ?x ?q) (at ?p ?q)))
    :effect (happy ?p))
  (:action shake
    :parameters (?x - box)
    :effect (forall (?p - place)
      (when (at ?x ?p)
        (and (light)
          (forall (?b - ball) (when (in ?b ?x) (and (not (in ?b ?x)) (at ?b ?p) (when (light) (ball ?b)))))))))
  (:action nothing :effect (and)))
