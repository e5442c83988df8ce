(define (domain d)
  (:requirements :object-fluents)
  (:types t)
  (:predicates (p))
  (:functions (place ?x - t) - t))
; expect 2:18 object fluents (:object-fluents) are not supported !
; expect 5:32 object fluents are not supported !
