; The domain that the problems of this folder belong to.
(define (domain house)
  (:types room ball)
  (:constants hall - room)
  (:predicates (at ?r - room) (in ?b - ball ?r - room) (lit ?r - room))
  (:functions (far ?from ?to - room) (total-cost) - number)
  (:derived (lit ?r - room) (at ?r))
  (:action go
    :parameters (?from ?to - room)
    :precondition (at ?from)
    :effect (and (not (at ?from)) (at ?to) (increase (total-cost) (far ?from ?to)))))
