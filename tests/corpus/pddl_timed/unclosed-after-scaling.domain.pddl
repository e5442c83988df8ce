; An effect that scales a number holds a list: it is no atom that was left open.
(define (domain d) (:requirements :numeric-fluents)
  (:functions (level))
  (:action double :parameters () :effect (scale-up (level) 2))
; expect 2:1 '(define' is not closed: the text ends | add the missing ')'
