(define (domain d)
  (:requirements :durative-actions)
  (:predicates (p))
  (:functions (f))
  (:durative-action a
    :duration (< ?duration 3)
    :condition (and (p) (over all (q)) (at begin (p)))
    :effect (and (over all (p)) (at end (not (r)))))
  (:durative-action b
    :parameters ()
    :duration (= (f) 3)
    :precondition (at start (p))
    :effect (at end (p)))
  (:durative-action c :parameters () :effect (at end (p)))
  (:action a :parameters () :duration (= ?duration 1) :effect (p)))
; expect 5:21 the action 'a' is declared twice, first in line 15
; expect 6:15 a duration is compared by '=', '<=' or '>=', not '(< ?duration 3)' | write (= ?duration 5)
; expect 7:21 'at start', 'over all' or 'at end' is expected here, not '(p)' | for example (at start (...))
; expect 7:36 the predicate 'q' is not declared
; expect 7:40 'at start', 'over all' or 'at end' is expected here, not '(at begin (p))' | for example (at start (...))
; expect 8:18 'at start' or 'at end' is expected here, not '(over all (p))' | for example (at start (...))
; expect 8:47 the predicate 'r' is not declared
; expect 11:15 '?duration' is expected on the left of '='
; expect 12:5 only actions without duration have a part ':precondition' | write ':condition'
; expect 14:3 the durative action 'c' has no ':duration' | :duration (= ?duration 5)
; expect 15:29 only durative actions have a part ':duration' | write (:durative-action ...
