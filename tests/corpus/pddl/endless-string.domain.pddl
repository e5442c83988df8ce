(define (domain d)
  (:predicates (p) "text))
; expect 2:20 this string does not end in its line
