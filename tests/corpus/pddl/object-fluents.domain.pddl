(define (domain d)
  (:requirements :object-fluents)
  (:types t)
  (:predicates (p))
  (:functions (place ?x - t) - t))
; expect 5:32 object fluents are not supported !
