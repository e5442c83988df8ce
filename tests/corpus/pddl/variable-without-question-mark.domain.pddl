(define (domain d)
  (:predicates (p ?x))
  (:action a
    :parameters (x - object)
    :effect (p x)))
; expect 4:18 a variable is expected here, not 'x' | variables start with '?': write '?x'
; expect 5:16 the object 'x' is not declared | did you mean the variable '?x'?
