(define (domain d)
  (:predicates (p)))
)
; expect 3:1 unexpected ')': nothing is open here
