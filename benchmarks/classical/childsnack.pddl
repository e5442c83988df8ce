; Sandwiches for children, some of whom must not eat gluten; trays carry them to the tables.
(define (domain childsnack)
  (:requirements :strips :typing)
  (:types child bread filling sandwich tray place)
  (:constants kitchen - place)
  (:predicates (in-kitchen-bread ?b - bread) (in-kitchen-filling ?f - filling)
    (gluten-free-bread ?b - bread) (gluten-free-filling ?f - filling) (unmade ?s - sandwich)
    (in-kitchen ?s - sandwich) (gluten-free ?s - sandwich) (on ?s - sandwich ?t - tray)
    (at ?t - tray ?p - place) (allergic ?c - child) (tolerant ?c - child)
    (waits ?c - child ?p - place) (served ?c - child))
  (:action make-gluten-free
    :parameters (?s - sandwich ?b - bread ?f - filling)
    :precondition (and (unmade ?s) (in-kitchen-bread ?b) (in-kitchen-filling ?f)
      (gluten-free-bread ?b) (gluten-free-filling ?f))
    :effect (and (not (unmade ?s)) (not (in-kitchen-bread ?b)) (not (in-kitchen-filling ?f))
      (in-kitchen ?s) (gluten-free ?s)))
  (:action make-any
    :parameters (?s - sandwich ?b - bread ?f - filling)
    :precondition (and (unmade ?s) (in-kitchen-bread ?b) (in-kitchen-filling ?f))
    :effect (and (not (unmade ?s)) (not (in-kitchen-bread ?b)) (not (in-kitchen-filling ?f)) (in-kitchen ?s)))
  (:action load
    :parameters (?s - sandwich ?t - tray)
    :precondition (and (in-kitchen ?s) (at ?t kitchen))
    :effect (and (not (in-kitchen ?s)) (on ?s ?t)))
  (:action serve-gluten-free
    :parameters (?s - sandwich ?c - child ?t - tray ?p - place)
    :precondition (and (allergic ?c) (on ?s ?t) (waits ?c ?p) (gluten-free ?s) (at ?t ?p))
    :effect (and (not (on ?s ?t)) (served ?c)))
  (:action serve
    :parameters (?s - sandwich ?c - child ?t - tray ?p - place)
    :precondition (and (tolerant ?c) (waits ?c ?p) (on ?s ?t) (at ?t ?p))
    :effect (and (not (on ?s ?t)) (served ?c)))
  (:action push
    :parameters (?t - tray ?from ?to - place)
    :precondition (at ?t ?from)
    :effect (and (not (at ?t ?from)) (at ?t ?to))))
