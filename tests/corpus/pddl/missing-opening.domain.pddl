(define (domain d)
  (:predicates (p))
  :action a
    :effect (p)))
; expect 3:3 ':action' stands outside of any section | write '(:action'
