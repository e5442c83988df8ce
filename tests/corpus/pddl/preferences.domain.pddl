(define (domain d)
  (:requirements :preferences :constraints)
  (:predicates (p))
  (:constraints (and (always (p))))
  (:action a
    :precondition (preference one (p))
    :effect (p)))
; expect 2:18 preferences (:preferences) are not supported !
; expect 2:31 trajectory constraints (:constraints) are not supported !
; expect 4:3 trajectory constraints are not supported !
; expect 6:19 preferences are not supported !
