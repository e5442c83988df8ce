;; A robot fetches keys in a grid in which some cells are locked.
(define (domain grid)
  (:requirements :strips :typing :negative-preconditions)
  (:types cell key shape)
  (:predicates
    (beside ?a ?b - cell)
    (locked ?c - cell)
    (lock-shape ?c - cell ?s - shape)
    (key-shape ?k - key ?s - shape)
    (robot-at ?c - cell)
    (lies-at ?k - key ?c - cell)
    (holds ?k - key)
    (hand-empty))
  (:action move
    :parameters (?from ?to - cell)
    :precondition (and (robot-at ?from) (beside ?from ?to) (not (locked ?to)))
    :effect (and (robot-at ?to) (not (robot-at ?from))))
  (:action pick-up
    :parameters (?k - key ?c - cell)
    :precondition (and (robot-at ?c) (lies-at ?k ?c) (hand-empty))
    :effect (and (holds ?k) (not (lies-at ?k ?c)) (not (hand-empty))))
  (:action put-down
    :parameters (?k - key ?c - cell)
    :precondition (and (robot-at ?c) (holds ?k))
    :effect (and (lies-at ?k ?c) (hand-empty) (not (holds ?k))))
  (:action unlock
    :parameters (?from ?to - cell ?k - key ?s - shape)
    :precondition (and (robot-at ?from) (beside ?from ?to) (locked ?to) (lock-shape ?to ?s) (key-shape ?k ?s)
      (holds ?k))
    :effect (not (locked ?to))))
