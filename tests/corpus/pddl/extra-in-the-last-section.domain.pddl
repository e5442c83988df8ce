(define (domain d)
  (:predicates (p) (q))
  (:action a
    :effect (and
      (forall (?x)
        (p)))
      (when (p)
        (q)))))
; expect 6:13 a ')' too many: the text is over
