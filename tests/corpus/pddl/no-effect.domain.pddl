(define (domain d)
  (:predicates (p))
  (:action a :precondition (p)))
; expect 3:3 the action 'a' has no ':effect'
