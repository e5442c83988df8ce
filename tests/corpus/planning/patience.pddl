; A card game with columns, cells and foundations; ranks are objects.
(define (domain patience)
  (:requirements :strips :typing)
  (:types card suit rank)
  (:predicates (over ?c ?d - card) (bottom ?c - card) (bare ?c - card) (celled ?c - card) (home ?c - card)
    (cells ?n - rank) (columns ?n - rank) (next ?n ?m - rank) (fits ?c ?d - card) (value ?c - card ?n - rank)
    (suit-of ?c - card ?s - suit))
  (:action move
    :parameters (?c ?from ?to - card)
    :precondition (and (bare ?c) (bare ?to) (over ?c ?from) (fits ?c ?to))
    :effect (and (over ?c ?to) (bare ?from) (not (over ?c ?from)) (not (bare ?to))))
  (:action move-last
    :parameters (?c ?to - card ?n ?m - rank)
    :precondition (and (bare ?c) (bottom ?c) (bare ?to) (fits ?c ?to) (columns ?n) (next ?n ?m))
    :effect (and (over ?c ?to) (not (bottom ?c)) (not (bare ?to)) (columns ?m) (not (columns ?n))))
  (:action spread
    :parameters (?c ?from - card ?n ?m - rank)
    :precondition (and (bare ?c) (over ?c ?from) (columns ?n) (next ?m ?n))
    :effect (and (bottom ?c) (bare ?from) (not (over ?c ?from)) (columns ?m) (not (columns ?n))))
  (:action keep
    :parameters (?c ?from - card ?n ?m - rank)
    :precondition (and (bare ?c) (over ?c ?from) (cells ?n) (next ?m ?n))
    :effect (and (celled ?c) (bare ?from) (not (over ?c ?from)) (not (bare ?c)) (cells ?m) (not (cells ?n))))
  (:action keep-last
    :parameters (?c - card ?n ?m ?k ?l - rank)
    :precondition (and (bare ?c) (bottom ?c) (cells ?n) (next ?m ?n) (columns ?k) (next ?k ?l))
    :effect (and (celled ?c) (not (bottom ?c)) (not (bare ?c)) (cells ?m) (not (cells ?n)) (columns ?l)
      (not (columns ?k))))
  (:action unkeep
    :parameters (?c ?to - card ?n ?m - rank)
    :precondition (and (celled ?c) (bare ?to) (fits ?c ?to) (cells ?n) (next ?n ?m))
    :effect (and (over ?c ?to) (bare ?c) (not (bare ?to)) (not (celled ?c)) (cells ?m) (not (cells ?n))))
  (:action send
    :parameters (?c ?from ?before - card ?s - suit ?v ?u - rank)
    :precondition (and (bare ?c) (over ?c ?from) (home ?before) (suit-of ?c ?s) (suit-of ?before ?s) (value ?c ?v)
      (value ?before ?u) (next ?u ?v))
    :effect (and (home ?c) (bare ?from) (not (over ?c ?from)) (not (bare ?c)) (not (home ?before))))
  (:action send-last
    :parameters (?c ?before - card ?s - suit ?v ?u ?n ?m - rank)
    :precondition (and (bare ?c) (bottom ?c) (home ?before) (suit-of ?c ?s) (suit-of ?before ?s) (value ?c ?v)
      (value ?before ?u) (next ?u ?v) (columns ?n) (next ?n ?m))
    :effect (and (home ?c) (not (bottom ?c)) (not (bare ?c)) (not (home ?before)) (columns ?m) (not (columns ?n))))
  (:action send-kept
    :parameters (?c ?before - card ?s - suit ?v ?u ?n ?m - rank)
    :precondition (and (celled ?c) (home ?before) (suit-of ?c ?s) (suit-of ?before ?s) (value ?c ?v)
      (value ?before ?u) (next ?u ?v) (cells ?n) (next ?n ?m))
    :effect (and (home ?c) (not (celled ?c)) (not (home ?before)) (cells ?m) (not (cells ?n)))))
