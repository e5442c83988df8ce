(define (domain d)
  (:predicates (p) (q))
  (:action a
    :precondition (and
      (or (p) (q)
      (p))
    :effect (q)))
; expect 5:7 '(or' is not closed before '(p)' in line 6 | a ')' is missing before line 6
