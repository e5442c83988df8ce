; A laundry: things get clean with soap, dry in the dryer, and are folded in the hand.
(define (domain laundry)
  (:requirements :adl)
  (:types
    clothing spot - object
    sock shirt towel jeans - clothing
    machine storage - spot
    washer dryer - machine
    hamper shelf drawer - storage)
  (:predicates
    (in ?c - clothing ?s - spot)
    (held ?c - clothing)
    (empty-handed)
    (soapy ?w - washer)
    (clean ?c - clothing)
    (wet ?c - clothing)
    (folded ?c - clothing))
  (:action take
    :parameters (?c - clothing ?s - storage)
    :precondition (and (in ?c ?s) (empty-handed))
    :effect (and (held ?c) (not (in ?c ?s)) (not (empty-handed))))
  (:action put
    :parameters (?c - clothing ?s - storage)
    :precondition (held ?c)
    :effect (and (in ?c ?s) (empty-handed) (not (held ?c))))
  (:action load
    :parameters (?c - clothing ?m - machine)
    :precondition (held ?c)
    :effect (and (in ?c ?m) (empty-handed) (not (held ?c)) (not (folded ?c))))
  (:action unload
    :parameters (?c - clothing ?m - machine)
    :precondition (and (in ?c ?m) (empty-handed))
    :effect (and (held ?c) (not (in ?c ?m)) (not (empty-handed))))
  (:action add-soap
    :parameters (?w - washer)
    :precondition (and (empty-handed) (not (soapy ?w)))
    :effect (soapy ?w))
  (:action wash
    :parameters (?w - washer)
    :precondition (soapy ?w)
    :effect (and (not (soapy ?w))
      (forall (?c - clothing) (when (in ?c ?w) (and (clean ?c) (wet ?c))))))
  (:action dry
    :parameters (?d - dryer)
    :precondition (empty-handed)
    :effect (forall (?c - clothing) (when (in ?c ?d) (not (wet ?c)))))
  (:action fold
    :parameters (?c - clothing)
    :precondition (and (held ?c) (not (wet ?c)))
    :effect (folded ?c)))
