(define (domain d)
  (:predicates (p)))
)
; expect 3:1 a ')' too many: the text is over
