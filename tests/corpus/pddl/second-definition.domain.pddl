(define (domain d)
  (:predicates (p)))
(define (problem x)
  (:domain d) (:goal (p)))
; expect 3:1 nothing may follow the end of the domain
