  (:action SliceObject
    :parameters (?a - agent ?l - location ?co - object ?ko - object)
    :precondition (and
      (sliceable ?co)
      (holds ?a ?ko)
      (or (objectType ?ko KnifeType) (objectType ?ko ButterKnifeType))
      (atLocation ?a ?l)
      (objectAtLocation ?co ?l))
    :effect (and (isSliced ?co) (increase (total-cost) (effort ?co))))
