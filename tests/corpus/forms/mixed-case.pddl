(DEFINE (Domain MixED) (:Requirements :STRIPS :Typing)
 (:TYPES Robot Room - OBJECT) (:Predicates (At ?R - robot ?X - ROOM) (Door ?a ?B - Room))
 (:Action MOVE :Parameters (?R - Robot ?from ?TO - room) :Precondition (AND (at ?r ?FROM) (door ?From ?to)) :EFFECT (And (NOT (AT ?r ?from)) (at ?R ?to))))
;; problem
(Define (PROBLEM m1) (:DOMAIN mixed) (:OBJECTS R2D2 - robot HALL kitchen - Room) (:INIT (at r2d2 Hall) (DOOR hall KITCHEN)) (:GOAL (At R2D2 Kitchen)))
; cost 1
