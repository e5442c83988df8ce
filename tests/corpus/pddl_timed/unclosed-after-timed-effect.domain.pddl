; An effect with its time holds a list: it is no atom of a predicate 'at' that was left open.
(define (domain d) (:requirements :durative-actions)
  (:predicates (open))
  (:durative-action wait :parameters () :duration (= ?duration 2) :condition () :effect (at end (open)))
; expect 2:1 '(define' is not closed: the text ends | add the missing ')'
