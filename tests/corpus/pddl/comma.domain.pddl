(define (domain d)
  (:predicates (p ?x ?y))
  (:action a
    :parameters (?x, ?y)
    :effect (p ?x ?y)))
; expect 4:18 a variable is expected here, not '?x,' | PDDL lists have no commas
