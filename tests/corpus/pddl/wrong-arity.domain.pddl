(define (domain d)
  (:predicates (p ?x ?y) (q))
  (:functions (f ?x) - number (total-cost) - number)
  (:action a
    :parameters (?x)
    :precondition (and (p ?x) (q ?x))
    :effect (and (p ?x ?x ?x) (increase (total-cost) (f ?x ?x)))))
; expect 6:24 'p' takes 2 arguments, not 1
; expect 6:31 'q' takes 0 arguments, not 1
; expect 7:18 'p' takes 2 arguments, not 3
; expect 7:54 'f' takes 1 argument, not 2
