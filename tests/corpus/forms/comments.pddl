; top ( comment
(define (domain c) ; (:requirements :durative-actions)
 ;; (:types
 (:predicates (p ?x) ;) 
  (q)) ; "quote
 (:action m ; :parameters
  :parameters (?x;comment
  ) :precondition (p ?x);
  :effect (q)) ; end
) ; after
;
;; problem
;x
(define (problem c1) (:domain c) (:objects a;b
) (:init (p a)) (:goal (q))) ; (
; cost 1
