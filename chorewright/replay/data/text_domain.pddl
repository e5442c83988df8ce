; A household as ALFWorld's text games know it: its predicates and actions, so that its engine and its agents play
; games with this domain. An agent with one hand walks between locations; each location is where one or more
; receptacles are reached. Only doors matter; no receptacle is ever full.
(define (domain alfred)
  (:requirements :adl :action-costs :typing)
  (:types agent location receptacle object rtype otype)
  (:predicates
    ; What never changes.
    (receptacleAtLocation ?r - receptacle ?l - location)
    (openable ?r - receptacle)
    (isReceptacleObject ?o - object)
    (receptacleType ?r - receptacle ?t - rtype)
    (objectType ?o - object ?t - otype)
    (canContain ?rt - rtype ?ot - otype)
    (pickupable ?o - object)
    (moveable ?o - object)
    (cleanable ?o - object)
    (heatable ?o - object)
    (coolable ?o - object)
    (toggleable ?o - object)
    (sliceable ?o - object)
    ; What the agent changes.
    (atLocation ?a - agent ?l - location)
    (holds ?a - agent ?o - object)
    (holdsAny ?a - agent)
    (holdsAnyReceptacleObject ?a - agent)
    (opened ?r - receptacle)
    (inReceptacle ?o - object ?r - receptacle)
    (wasInReceptacle ?o - object ?r - receptacle)
    (inReceptacleObject ?inner - object ?outer - object)
    (isReceptacleObjectFull ?o - object)
    (full ?r - receptacle)
    (objectAtLocation ?o - object ?l - location)
    (isClean ?o - object)
    (isHot ?o - object)
    (isCool ?o - object)
    (isOn ?o - object)
    (isToggled ?o - object)
    (isSliced ?o - object)
    ; What it has looked at.
    (checked ?x)
    (examined ?l - location)@predicates@)
  ; What the goal does not need takes more effort, so that a planner that searches by cost leaves it alone.
  (:functions (total-cost) - number (effort ?x) - number)

  ; Looking, which takes nothing.
  (:action look
    :parameters (?a - agent ?l - location)
    :precondition (atLocation ?a ?l)
    :effect (checked ?l))
  (:action inventory
    :parameters (?a - agent)
    :precondition ()
    :effect (checked ?a))
  (:action help
    :parameters (?a - agent)
    :precondition ()
    :effect (checked ?a))
  (:action examineReceptacle
    :parameters (?a - agent ?r - receptacle)
    :precondition (exists (?l - location) (and (atLocation ?a ?l) (receptacleAtLocation ?r ?l)))
    :effect (checked ?r))
  (:action examineObject
    :parameters (?a - agent ?o - object)
    :precondition (holds ?a ?o)
    :effect (checked ?o))

  ; Walking, doors, picking up and putting down: a step each.
  (:action GotoLocation
    :parameters (?a - agent ?lStart - location ?lEnd - location ?r - receptacle)
    :precondition (and (atLocation ?a ?lStart) (receptacleAtLocation ?r ?lEnd))
    :effect (and (not (atLocation ?a ?lStart)) (atLocation ?a ?lEnd) (increase (total-cost) (effort ?r))))
  (:action OpenObject
    :parameters (?a - agent ?l - location ?r - receptacle)
    :precondition (and (atLocation ?a ?l) (receptacleAtLocation ?r ?l) (openable ?r) (not (opened ?r)))
    :effect (and (opened ?r) (checked ?r) (increase (total-cost) (effort ?r))))
  (:action CloseObject
    :parameters (?a - agent ?l - location ?r - receptacle)
    :precondition (and (atLocation ?a ?l) (receptacleAtLocation ?r ?l) (openable ?r) (opened ?r))
    :effect (and (not (opened ?r)) (increase (total-cost) (effort ?r))))
  (:action PickupObject
    :parameters (?a - agent ?l - location ?o - object ?r - receptacle)
    :precondition (and
      (pickupable ?o)
      (not (holdsAny ?a))
      (atLocation ?a ?l)
      (receptacleAtLocation ?r ?l)
      (inReceptacle ?o ?r)
      (or (not (openable ?r)) (opened ?r)))
    :effect (and
      (holds ?a ?o)
      (holdsAny ?a)
      (not (inReceptacle ?o ?r))
      (not (objectAtLocation ?o ?l))
      (increase (total-cost) (effort ?o))))
  (:action PutObject
    :parameters (?a - agent ?l - location ?o - object ?r - receptacle ?ot - otype ?rt - rtype)
    :precondition (and
      (holds ?a ?o)
      (atLocation ?a ?l)
      (receptacleAtLocation ?r ?l)
      (or (not (openable ?r)) (opened ?r))
      (objectType ?o ?ot)
      (receptacleType ?r ?rt)
      (canContain ?rt ?ot))
    :effect (and
      (not (holds ?a ?o))
      (not (holdsAny ?a))
      (inReceptacle ?o ?r)
      (objectAtLocation ?o ?l)
      (increase (total-cost) (effort ?o))))

  ; Changing things: a step each too.
  (:action CleanObject
    :parameters (?a - agent ?l - location ?r - receptacle ?o - object)
    :precondition (and
      (cleanable ?o)
      (holds ?a ?o)
      (atLocation ?a ?l)
      (receptacleAtLocation ?r ?l)
      (receptacleType ?r SinkBasinType))
    :effect (and (isClean ?o) (increase (total-cost) (effort ?o))))
  (:action HeatObject
    :parameters (?a - agent ?l - location ?r - receptacle ?o - object)
    :precondition (and
      (heatable ?o)
      (holds ?a ?o)
      (atLocation ?a ?l)
      (receptacleAtLocation ?r ?l)
      (receptacleType ?r MicrowaveType))
    :effect (and (isHot ?o) (not (isCool ?o)) (increase (total-cost) (effort ?o))))
  (:action CoolObject
    :parameters (?a - agent ?l - location ?r - receptacle ?o - object)
    :precondition (and
      (coolable ?o)
      (holds ?a ?o)
      (atLocation ?a ?l)
      (receptacleAtLocation ?r ?l)
      (receptacleType ?r FridgeType))
    :effect (and (isCool ?o) (not (isHot ?o)) (increase (total-cost) (effort ?o))))
  (:action ToggleObject
    :parameters (?a - agent ?l - location ?o - object ?r - receptacle)
    :precondition (and (toggleable ?o) (atLocation ?a ?l) (receptacleAtLocation ?r ?l) (inReceptacle ?o ?r))
    :effect (and
      (isToggled ?o)
      (when (isOn ?o) (not (isOn ?o)))
      (when (not (isOn ?o)) (isOn ?o))
      (increase (total-cost) (effort ?o))))
@slicing@)
