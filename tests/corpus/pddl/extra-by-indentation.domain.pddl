(define (domain d)
  (:predicates (p) (q))
  (:action a
    :precondition (and
      (p)
      (or (p)) (q))
      (not (q)))
    :effect (p))
  (:action b
    :effect (q)))
; expect 6:19 a ')' too many: '(:action' of line 3 ends before ':effect' in line 8
