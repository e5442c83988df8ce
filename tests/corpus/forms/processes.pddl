(define (domain t)
  (:requirements :time :fluents)
  (:predicates (g) (on))
  (:functions (level))
  (:process fill
    :parameters ()
    :precondition (on)
    :effect (increase (level) (* #t 1)))
  (:event full
    :parameters ()
    :precondition (>= (level) 10)
    :effect (g))
  (:action m
    :parameters ()
    :effect (on)))
;; problem
(define (problem t1) (:domain t)
  (:init (= (level) 0))
  (:goal (g)))
; domain 5:3 processes are not supported: '(:process ...'
; domain 9:3 events are not supported: '(:event ...'
