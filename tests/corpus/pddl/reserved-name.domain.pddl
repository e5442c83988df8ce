(define (domain d)
  (:predicates (and ?x) (p)))
; expect 2:17 'and' has a meaning of its own and cannot name a predicate
