(define (domain d)
  (:predicates (p) (q))
  (:action a
    :precondition (and (p)))
    :effect (q)))
; expect 4:28 a ')' too many: '(:action' of line 3 ends before ':effect' in line 5 | remove a ')' here or shortly before
