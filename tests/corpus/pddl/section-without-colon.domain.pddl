(define (domain d)
  (predicates (p))
  (:action a :effect (p)))
; expect 2:3 a section of the domain is expected here, not '(predicates (p))' | write '(:predicates ...'
