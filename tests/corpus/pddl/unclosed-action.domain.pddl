(define (domain d)
  (:predicates (p) (q))
  (:action a
    :effect (q)
  (:action b
    :effect (q)))
; expect 3:3 '(:action' is not closed before '(:action' in line 5
