(define (domain d)
  (:predicates (p) (q))
  (:action a
    :effect (oneof (p) (q))))
; expect 4:13 non-deterministic effects are not supported !
