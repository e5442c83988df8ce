(define (domain d)
  (:predicates (p))
  (:action a
    :effect (and (p) (increase (total-cost) 1))))
; expect 4:33 the function 'total-cost' is not declared | add (:functions (total-cost) - number)
