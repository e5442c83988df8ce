(define (domain d)
  (:predicates (p) (q))
  (:action a
    :effect (q)))
  (:action b
    :effect (p)))
; expect 4:17 this ')' closes '(define' of line 1, but '(:action' follows
