(define (domain d)
  (:requirements :preferences :constraints)
  (:predicates (p))
  (:constraints (and (always (p) (q)) (sometimes (p)) (within soon (p)) (preference (always (r)))))
  (:action a
    :precondition (or (preference one (p)) (p))
    :effect (p)))
; expect 4:22 'always' takes 1 condition
; expect 4:39 a constraint is expected here, not '(sometimes (p))' | constraints are always
; expect 4:63 a number is expected here, not 'soon'
; expect 4:94 the predicate 'r' is not declared
; expect 6:23 preferences are not supported: '(preference ...' !
