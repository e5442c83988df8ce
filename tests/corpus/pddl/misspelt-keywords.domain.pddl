(define (domain d)
  (:requirement :strips)
  (:predicates (p))
  (:action a
    :precond (p)
    :effects (p)))
; expect 2:4 ':requirement' is not a section of a domain | did you mean ':requirements'?
; expect 5:5 ':precond' is not a part of an action | did you mean ':precondition'?
; expect 6:5 ':effects' is not a part of an action | did you mean ':effect'?
