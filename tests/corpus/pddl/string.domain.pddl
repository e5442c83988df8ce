(define (domain d)
  (:predicates (p "text")))
; expect 2:19 a variable is expected here, not '"text"'
