(define (domain d)
  (:predicates (p) (q ?x))
  (:action a
    :parameters (?x)
    :precondition (and (not) (not (p) (p)) (imply (p)) p (q (p)) ((p)) (forall ?y (q ?y)) (exists (?y) (p) (q ?y)) (= ?x))
    :effect (and (or (p) (q ?x)) (when (p)) p (not (and (p))))))
; expect 5:24 'not' takes 1 condition, not 0
; expect 5:30 'not' takes 1 condition, not 2
; expect 5:44 'imply' takes 2 conditions, not 1
; expect 5:56 a condition in parentheses is expected here, not 'p' | write (p)
; expect 5:61 a variable or object is expected here, not '(p)' | is a ')' missing before it?
; expect 5:66 a predicate is expected after '('
; expect 5:80 'forall' needs its variables in parentheses
; expect 5:108 'exists' takes one condition after its variables, not 2 | join several with (and ...)
; expect 5:116 '=' takes 2 terms, not 1
; expect 6:18 'or' cannot be an effect
; expect 6:34 'when' takes one effect after its condition, not 0
; expect 6:45 an effect in parentheses is expected here, not 'p'
; expect 6:52 an effect can only negate an atom
