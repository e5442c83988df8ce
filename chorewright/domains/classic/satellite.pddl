;; Satellites turn, switch on and calibrate instruments, and take pictures of targets.
(define (domain satellite)
  (:requirements :strips :typing :negative-preconditions :equality)
  (:types satellite instrument mode target)
  (:predicates
    (on-board ?i - instrument ?s - satellite)
    (supports ?i - instrument ?m - mode)
    (calibrates-on ?i - instrument ?t - target)
    (points-to ?s - satellite ?t - target)
    (has-power ?s - satellite)
    (running ?i - instrument)
    (calibrated ?i - instrument)
    (have-picture ?t - target ?m - mode))
  (:action turn
    :parameters (?s - satellite ?to ?from - target)
    :precondition (and (points-to ?s ?from) (not (= ?to ?from)))
    :effect (and (points-to ?s ?to) (not (points-to ?s ?from))))
  (:action switch-on
    :parameters (?i - instrument ?s - satellite)
    :precondition (and (on-board ?i ?s) (has-power ?s))
    :effect (and (running ?i) (not (calibrated ?i)) (not (has-power ?s))))
  (:action switch-off
    :parameters (?i - instrument ?s - satellite)
    :precondition (and (on-board ?i ?s) (running ?i))
    :effect (and (has-power ?s) (not (running ?i))))
  (:action calibrate
    :parameters (?s - satellite ?i - instrument ?t - target)
    :precondition (and (on-board ?i ?s) (running ?i) (calibrates-on ?i ?t) (points-to ?s ?t))
    :effect (calibrated ?i))
  (:action take-picture
    :parameters (?s - satellite ?t - target ?i - instrument ?m - mode)
    :precondition (and (on-board ?i ?s) (running ?i) (calibrated ?i) (supports ?i ?m) (points-to ?s ?t))
    :effect (have-picture ?t ?m)))
