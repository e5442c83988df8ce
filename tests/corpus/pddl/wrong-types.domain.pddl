(define (domain d)
  (:types apple pear - fruit fruit plate)
  (:constants dish - plate)
  (:predicates (eaten ?x - fruit) (on ?x - (either apple pear) ?y - plate) (peeled ?x - apple))
  (:action a
    :parameters (?a - apple ?f - fruit ?e - (either apple pear) ?p - plate)
    :precondition (and (eaten ?a) (eaten ?f) (eaten ?e) (on ?e ?p) (peeled ?a))
    :effect (and (eaten dish) (on ?f ?p) (on ?p ?a) (peeled ?e))))
; expect 8:25 'dish' is a plate, but 'eaten' takes a fruit here
; expect 8:35 '?f' is a fruit, but 'on' takes an apple or pear here
; expect 8:46 '?p' is a plate, but 'on' takes an apple or pear here | it is declared as (on ?x - apple/pear ?y - plate); (on ?a ?p) would fit
; expect 8:61 '?e' is an apple or pear, but 'peeled' takes an apple here
