(define (problem p) (:domain house)
  (:predicates (at ?x))
  (:goal (at hall)))
; expect 2:4 ':predicates' is not a section of a problem
