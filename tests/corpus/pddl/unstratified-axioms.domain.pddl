(define (domain d)
  (:predicates (p ?x) (q ?x) (r ?x))
  (:derived (p ?x) (not (q ?x)))
  (:derived (q ?x) (exists (?y) (and (r ?y) (not (= ?x ?y)))))
  (:derived (r ?x) (imply (r ?x) (p ?x))))
; expect 3:26 the axioms are not stratified: 'p' needs not 'q'
; expect 5:28 the axioms are not stratified: 'r' needs not 'r'
