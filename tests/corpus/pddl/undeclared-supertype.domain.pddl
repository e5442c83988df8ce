(define (domain d)
  (:types apple - frut fruit)
  (:predicates (p ?x - fruit))
  (:action a :parameters (?x - apple) :precondition (p ?x) :effect (p ?x)))
; expect 2:19 the type 'frut' is not declared | did you mean 'fruit'?
