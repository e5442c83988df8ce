(define (domain d)
  (:predicates (p) (q)
  (:action a
    :effect (q)))
; expect 2:3 '(:predicates' is not closed before '(:action' in line 3
