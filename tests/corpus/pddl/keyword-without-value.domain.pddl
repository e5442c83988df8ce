(define (domain d)
  (:predicates (p))
  (:action a :parameters :effect (p)))
; expect 3:14 ':parameters' has nothing after it
