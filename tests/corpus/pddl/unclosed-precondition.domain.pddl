(define (domain d)
  (:predicates (p) (q))
  (:action a
    :precondition (and (p)
    :effect (q)))
; expect 4:19 '(and' is not closed before ':effect' in line 5 | a ')' is missing before line 5
