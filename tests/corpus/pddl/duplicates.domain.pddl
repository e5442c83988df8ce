(define (domain d)
  (:types t u t)
  (:constants c d c - t)
  (:predicates (p) (q) (p))
  (:functions (total-cost) (total-cost) - number)
  (:action a :effect (p))
  (:action a :effect (q)))
; expect 2:15 the type 't' is declared twice, first in line 2
; expect 3:19 the constant 'c' is declared twice
; expect 4:25 the predicate 'p' is declared twice
; expect 5:29 the function 'total-cost' is declared twice
; expect 7:12 the action 'a' is declared twice, first in line 6
