(define (domain d)
  (:types a – object)
  (:predicates (p)))
; expect 2:13 the character '–' cannot stand in PDDL
