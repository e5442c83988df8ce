(define (domain d)
  (:predicates (p) (q))
  (:action a
    :effect (q)))
  (:action b
    :effect (p)))
; expect 4:17 a ')' too many: '(define' of line 1 ends before '(:action' in line 5
