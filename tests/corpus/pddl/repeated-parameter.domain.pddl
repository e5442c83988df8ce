(define (domain d)
  (:predicates (p ?x ?y))
  (:action a
    :parameters (?x ?y ?x)
    :effect (p ?x ?y)))
; expect 4:24 the variable '?x' is repeated in the parameters of action 'a'
