(define (domain d)
  (:predicates (p))
  (:functions (total-cost) - number)
  (:action a
    :effect (and (p) (increase (total-cost) -1))))
; expect 5:45 a cost cannot be negative: -1 !
