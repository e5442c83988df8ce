  ; Slicing yields pieces, which lie where the whole lay.
  (:action SliceObject
    :parameters (?a - agent ?l - location ?co - object ?ko - object ?r - receptacle)
    :precondition (and
      (sliceable ?co)
      (holds ?a ?ko)
      (or (objectType ?ko KnifeType) (objectType ?ko ButterKnifeType))
      (atLocation ?a ?l)
      (receptacleAtLocation ?r ?l)
      (inReceptacle ?co ?r)
      (or (not (openable ?r)) (opened ?r)))
    :effect (and
      (isSliced ?co)
      (not (inReceptacle ?co ?r))
      (not (objectAtLocation ?co ?l))
      (forall (?p - object)
        (when (pieceOf ?p ?co) (and (inReceptacle ?p ?r) (objectAtLocation ?p ?l))))
      (increase (total-cost) (effort ?co))))

  ; Vessels: what can be carried and holds things itself. What lies in one travels with it.
  (:action PutObjectInReceptacleObject
    :parameters (?a - agent ?l - location ?o - object ?m - object ?r - receptacle ?ot - otype ?mt - otype)
    :precondition (and
      (holds ?a ?o)
      (isReceptacleObject ?m)
      (atLocation ?a ?l)
      (receptacleAtLocation ?r ?l)
      (inReceptacle ?m ?r)
      (or (not (openable ?r)) (opened ?r))
      (objectType ?o ?ot)
      (objectType ?m ?mt)
      (vesselCanContain ?mt ?ot))
    :effect (and
      (not (holds ?a ?o))
      (not (holdsAny ?a))
      (inReceptacleObject ?o ?m)
      (increase (total-cost) (effort ?o))))
  (:action PickupObjectFromReceptacleObject
    :parameters (?a - agent ?l - location ?o - object ?m - object ?r - receptacle)
    :precondition (and
      (pickupable ?o)
      (not (holdsAny ?a))
      (isReceptacleObject ?m)
      (atLocation ?a ?l)
      (receptacleAtLocation ?r ?l)
      (inReceptacle ?m ?r)
      (or (not (openable ?r)) (opened ?r))
      (inReceptacleObject ?o ?m))
    :effect (and
      (holds ?a ?o)
      (holdsAny ?a)
      (not (inReceptacleObject ?o ?m))
      (increase (total-cost) (effort ?o))))
