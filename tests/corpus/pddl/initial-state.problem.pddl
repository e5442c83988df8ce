(define (problem p) (:domain house)
  (:objects x - room b - ball)
  (:init (at ?x) (at b) (att x) (in b (at x)) at (and (at x)) (at 3 (at x)) (lit x) (not (at x)) (at x) (= x 3) (or (at x)))
  (:goal (at x)))
; expect 3:14 a variable cannot stand in ':init': '?x'
; expect 3:22 'b' is a ball, but 'at' takes a room here
; expect 3:26 the predicate 'att' is not declared | did you mean 'at'?
; expect 3:39 an object is expected here, not '(at x)'
; expect 3:47 an atom in parentheses is expected here, not 'at' | write (at)
; expect 3:50 'and' cannot stand in ':init'
; expect 3:78 'lit' is derived by an axiom, so it cannot stand in ':init'
; expect 3:90 (at x) is both true and false in ':init'
; expect 3:108 the function 'x' is not declared
; expect 3:113 an uncertain initial state is not supported: '(or ...' !
