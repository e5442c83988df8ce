(define (domain d)
  (:predicates (p) (q))
  (:action a
    :precondition (and (p)
    :effect (q))
  (:action b
    :precondition (and (p)
    :effect (q)))
; expect 4:19 '(and' is not closed before ':effect' in line 5
; expect 7:19 '(and' is not closed before ':effect' in line 8
