; Satellites turn, calibrate and take pictures.
(define (domain telescopes)
  (:requirements :strips :equality :typing)
  (:types craft instrument mode direction)
  (:predicates (carries ?s - craft ?i - instrument) (supports ?i - instrument ?m - mode)
    (points ?s - craft ?d - direction) (spare ?s - craft) (on ?i - instrument) (calibrated ?i - instrument)
    (picture ?d - direction ?m - mode) (target ?i - instrument ?d - direction))
  (:action turn
    :parameters (?s - craft ?from ?to - direction)
    :precondition (and (points ?s ?from) (not (= ?from ?to)))
    :effect (and (points ?s ?to) (not (points ?s ?from))))
  (:action start
    :parameters (?i - instrument ?s - craft)
    :precondition (and (carries ?s ?i) (spare ?s))
    :effect (and (on ?i) (not (calibrated ?i)) (not (spare ?s))))
  (:action stop
    :parameters (?i - instrument ?s - craft)
    :precondition (and (carries ?s ?i) (on ?i))
    :effect (and (spare ?s) (not (on ?i))))
  (:action calibrate
    :parameters (?s - craft ?i - instrument ?d - direction)
    :precondition (and (carries ?s ?i) (target ?i ?d) (points ?s ?d) (on ?i))
    :effect (calibrated ?i))
  (:action take
    :parameters (?s - craft ?d - direction ?i - instrument ?m - mode)
    :precondition (and (carries ?s ?i) (calibrated ?i) (on ?i) (supports ?i ?m) (points ?s ?d))
    :effect (picture ?d ?m)))
