(define (domain d)
  (:types ball room)
  (:constants hall - rom)
  (:predicates (at ?b - ball ?r - room))
  (:action move
    :parameters (?b - ball ?from ?to - room)
    :precondition (and (at ?b ?form) (in ?b ?from))
    :effect (and (at ?b too) (att ?b ?to) (not (at ?b hal)))))
; expect 3:22 the type 'rom' is not declared | did you mean 'room'?
; expect 7:31 the variable '?form' is not bound here | did you mean '?from'?
; expect 7:39 the predicate 'in' is not declared | declare it in (:predicates ...)
; expect 8:25 the object 'too' is not declared
; expect 8:31 the predicate 'att' is not declared | did you mean 'at'?
; expect 8:55 the object 'hal' is not declared | did you mean 'hall'?
