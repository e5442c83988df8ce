(define (domain d)
  (:predicates (p ?x) (q))
  (:action a
    :parameters (?x)
    :precondition (and (p ?x (q))
    :effect (q)))
; expect 5:24 '(p' is not closed before '(q)' in line 5
