; The activities of BEHAVIOR, with actions: BDDL itself has none. HandMeThat's household, extended in layers.
;
; The types of things are synsets, below `item` and `substance`; they are added from the activities. Relations are
; direct: what is in a bowl on a table is in the bowl, and goes where the bowl goes. A substance instance stands for any
; amount of it. What is geometry in BEHAVIOR's simulators (nextto, under, touching) is what an action brings about here.
(define (domain behavior)
  (:requirements :adl :derived-predicates)
  (:types
    thing room hand recipe - object
    item substance - thing)

  (:predicates
    ; What never changes: what things are for.
    (movable ?x - item)                        ; not furniture
    (ground ?x - item)                         ; floors, lawns
    (ground-of ?x ?f - item)                   ; the floor that furniture stands on
    (inroom ?x - item ?r - room)
    (container ?x - item)
    (surface ?x - item)
    (openable ?x - item)
    (toggleable ?x - item)
    (cookable ?x - item)
    (freezable ?x - item)
    (heats-inside ?x - item)                   ; what is in it
    (heats-over ?x - item)                     ; what is in it or on it
    (heats-by-hand ?x - item)                  ; a lighter, an iron: held against a thing
    (heats-closed ?x - item)                   ; only with its door closed
    (cools-inside ?x - item)
    (works-off ?x - item)                      ; needs not be turned on
    (soaks ?x - item)                          ; a tap of BEHAVIOR-100
    (cuts ?t - item)
    (mends ?t - item)
    ; What the goal is about, so that nobody thinks of other places.
    (may-stand-by ?x ?y - item)
    (may-lie-on ?x ?y - item)
    (may-lie-under ?x ?y - item)
    (may-lie-across ?x ?y - item)
    (cleans ?t - item)                         ; a cleaning tool of BEHAVIOR-100
    (wettable ?t - item)
    ; What changes.
    (real ?x - thing)
    (at ?x - item)                             ; where the robot stands
    (stands ?x - item)                         ; furniture where no floor is spoken of, until it is moved
    (holding ?h - hand ?x - item)
    (free ?h - hand)
    (inside ?x ?c - item)
    (ontop ?x ?s - item)
    (nextto ?x ?y - item)
    (under ?x ?y - item)
    (open ?x - item)
    (toggled_on ?x - item)
    (cooked ?x - item)
    (frozen ?x - item)
    (hot ?x - item)
    (on_fire ?x - item)
    (broken ?x - item)
    (sliced ?x - item)
    (soaked ?x - item)
    (dusty ?x - item)
    (stained ?x - item)
    ; Derived: what the robot gets at, and what is in or on what, through others.
    (reachable ?x - item)
    (held ?x - item)
    (within ?x ?c - item)
    (over ?x ?s - item)
    (heated ?x - item)
    ; Layer: attaching.
    (attachable ?x ?y - item)
    (attached ?x ?y - item)
    ; Layer: cloth.
    (foldable ?x - item)
    (drapeable ?x - item)
    (folded ?x - item)
    (unfolded ?x - item)
    (draped ?x ?y - item)
    (overlaid ?x ?y - item)
    ; Layer: substances.
    (flows ?s - substance)                     ; can be poured
    (fillable ?x - item)
    (soakable ?t - item)
    (insource ?x - item ?s - substance)        ; it comes out of a tap, a bottle, a shaker
    (drains ?x - item)
    (washes ?x - item)                         ; a washer, a dishwasher
    (washed-out ?s - substance)                ; by a washer without anything else
    (washed-out-with ?s ?w - substance)
    (removes ?t - item ?s - substance)
    (removes-with ?t - item ?s ?w - substance) ; with w in it
    (covered ?x - item ?s - substance)
    (filled ?x - item ?s - substance)
    (contains ?x - item ?s - substance)
    (saturated ?t - item ?s - substance)
    ; Layer: transitions.
    (half-of ?y ?x - item)
    (dices-into ?x - item ?s - substance)
    (dices-cooked-into ?x - item ?s - substance)
    (melts-into ?x - item ?s - substance)
    (cooks-into ?s ?y - substance)
    (needs ?r - recipe ?x - thing)
    (needs-cooked ?r - recipe ?x - item)
    (needs-raw ?r - recipe ?x - item)
    (makes ?r - recipe ?x - thing)
    (makes-cooked ?r - recipe ?x - item)
    (vessel-of ?r - recipe ?c - item)
    (heat-of ?r - recipe ?s - item)
    (machine-of ?r - recipe ?m - item)
    (stirred ?r - recipe)
    (stirs ?t - item)
    (ready-in ?x - thing ?c - item))           ; an input of a recipe is in the vessel

  (:derived (held ?x - item) (exists (?h - hand) (holding ?h ?x)))

  (:derived (reachable ?x - item)
    (or (at ?x)
        (exists (?c - item)
          (and (reachable ?c)
               (not (ground ?c))
               (or (ontop ?x ?c)
                   (attached ?x ?c)
                   (under ?x ?c)
                   (nextto ?x ?c)
                   (and (inside ?x ?c) (or (not (openable ?c)) (open ?c))))))))

  (:derived (within ?x ?c - item)
    (or (inside ?x ?c)
        (exists (?d - item) (and (within ?d ?c) (or (inside ?x ?d) (ontop ?x ?d))))))

  (:derived (over ?x ?s - item)
    (or (ontop ?x ?s)
        (exists (?d - item) (and (over ?d ?s) (or (inside ?x ?d) (ontop ?x ?d))))))

  (:derived (heated ?x - item)
    (exists (?s - item)
      (and (toggled_on ?s)
           (or (and (heats-inside ?s) (within ?x ?s) (or (not (heats-closed ?s)) (not (open ?s))))
               (and (heats-over ?s) (or (within ?x ?s) (over ?x ?s)))))))

  ; What stands on the floor or belongs to the room can be gone to; what is on or in something is reached from there.
  (:action go-to
    :parameters (?x - item)
    :precondition (and
      (real ?x)
      (not (at ?x))
      (not (held ?x))
      (or (not (movable ?x)) (stands ?x) (exists (?f - item) (and (ground ?f) (ontop ?x ?f)))))
    :effect (and
      (forall (?y - item) (not (at ?y)))
      (at ?x)))

  (:action grasp
    :parameters (?h - hand ?x - item)
    :precondition (and
      (free ?h)
      (movable ?x)
      (real ?x)
      (not (held ?x))
      (reachable ?x)
      (forall (?y - item) (not (attached ?x ?y))))
    :effect (and
      (holding ?h ?x)
      (not (free ?h))
      (not (at ?x))
      (not (stands ?x))
      (forall (?y - item)
        (and (not (inside ?x ?y)) (not (ontop ?x ?y)) (not (under ?x ?y)) (not (nextto ?x ?y)) (not (nextto ?y ?x))
             (not (draped ?x ?y)) (not (overlaid ?x ?y))))))

  (:action put-on
    :parameters (?h - hand ?x ?y - item)
    :precondition (and
      (holding ?h ?x)
      (real ?y)
      (surface ?y)
      (reachable ?y)
      (not (held ?y)))
    :effect (and
      (ontop ?x ?y)
      (not (holding ?h ?x))
      (free ?h)))

  (:action put-in
    :parameters (?h - hand ?x ?y - item)
    :precondition (and
      (holding ?h ?x)
      (real ?y)
      (container ?y)
      (reachable ?y)
      (not (held ?y))
      (or (not (openable ?y)) (open ?y)))
    :effect (and
      (inside ?x ?y)
      (not (holding ?h ?x))
      (free ?h)))

  ; Next to a thing is on or in what that thing is on or in, or on what that rests on; next to furniture is on the floor.
  (:action put-next-to
    :parameters (?h - hand ?x ?y ?s - item)
    :precondition (and
      (holding ?h ?x)
      (may-stand-by ?x ?y)
      (real ?y)
      (reachable ?y)
      (not (held ?y))
      (or (ontop ?y ?s) (ground-of ?y ?s) (and (may-lie-on ?x ?s) (over ?y ?s))))
    :effect (and
      (nextto ?x ?y)
      (nextto ?y ?x)
      (ontop ?x ?s)
      (not (holding ?h ?x))
      (free ?h)))

  (:action put-next-to-inside
    :parameters (?h - hand ?x ?y ?c - item)
    :precondition (and
      (holding ?h ?x)
      (may-stand-by ?x ?y)
      (real ?y)
      (reachable ?y)
      (inside ?y ?c))
    :effect (and
      (nextto ?x ?y)
      (nextto ?y ?x)
      (inside ?x ?c)
      (not (holding ?h ?x))
      (free ?h)))

  (:action put-between
    :parameters (?h - hand ?x ?y ?z ?s - item)
    :precondition (and
      (holding ?h ?x)
      (may-stand-by ?x ?y)
      (may-stand-by ?x ?z)
      (real ?y)
      (real ?z)
      (nextto ?y ?z)
      (reachable ?y)
      (or (ontop ?y ?s) (ground-of ?y ?s) (and (may-lie-on ?x ?s) (over ?y ?s))))
    :effect (and
      (nextto ?x ?y)
      (nextto ?y ?x)
      (nextto ?x ?z)
      (nextto ?z ?x)
      (ontop ?x ?s)
      (not (holding ?h ?x))
      (free ?h)))

  (:action put-across
    :parameters (?h - hand ?x ?y ?z - item)
    :precondition (and
      (holding ?h ?x)
      (may-lie-across ?x ?y)
      (may-lie-across ?x ?z)
      (real ?y)
      (real ?z)
      (nextto ?y ?z)
      (reachable ?y))
    :effect (and
      (ontop ?x ?y)
      (ontop ?x ?z)
      (not (holding ?h ?x))
      (free ?h)))

  (:action put-under
    :parameters (?h - hand ?x ?y - item)
    :precondition (and
      (holding ?h ?x)
      (may-lie-under ?x ?y)
      (real ?y)
      (reachable ?y)
      (not (held ?y)))
    :effect (and
      (under ?x ?y)
      (forall (?s - item) (when (or (and (ontop ?y ?s) (ground ?s)) (ground-of ?y ?s)) (ontop ?x ?s)))
      (not (holding ?h ?x))
      (free ?h)))

  (:action open-it
    :parameters (?x - item)
    :precondition (and (openable ?x) (not (open ?x)) (reachable ?x))
    :effect (open ?x))

  (:action close-it
    :parameters (?x - item)
    :precondition (and (openable ?x) (open ?x) (reachable ?x))
    :effect (not (open ?x)))

  (:action turn-on
    :parameters (?x - item)
    :precondition (and (toggleable ?x) (not (toggled_on ?x)) (reachable ?x))
    :effect (toggled_on ?x))

  (:action turn-off
    :parameters (?x - item)
    :precondition (and (toggleable ?x) (toggled_on ?x) (reachable ?x))
    :effect (not (toggled_on ?x)))

  ; Waiting until a thing has become hot, cold or cooked where it is.
  (:action heat
    :parameters (?x - item)
    :precondition (and (real ?x) (heated ?x))
    :effect (and
      (hot ?x)
      (when (cookable ?x) (cooked ?x))
      (not (frozen ?x))))

  (:action heat-by-hand
    :parameters (?h - hand ?t ?x - item)
    :precondition (and (holding ?h ?t) (heats-by-hand ?t) (real ?x) (reachable ?x))
    :effect (and (hot ?x) (when (cookable ?x) (cooked ?x)) (not (frozen ?x))))

  (:action light
    :parameters (?h - hand ?t ?x - item)
    :precondition (and (holding ?h ?t) (heats-by-hand ?t) (real ?x) (reachable ?x))
    :effect (on_fire ?x))

  (:action mend
    :parameters (?h - hand ?t ?x - item)
    :precondition (and (holding ?h ?t) (mends ?t) (broken ?x) (reachable ?x))
    :effect (not (broken ?x)))

  (:action put-out
    :parameters (?x - item)
    :precondition (and (on_fire ?x) (reachable ?x))
    :effect (not (on_fire ?x)))

  (:action cool
    :parameters (?x ?s - item)
    :precondition (and
      (real ?x)
      (freezable ?x)
      (cools-inside ?s)
      (within ?x ?s)
      (or (works-off ?s) (toggled_on ?s))
      (not (open ?s)))
    :effect (and (frozen ?x) (not (hot ?x))))

  (:action let-thaw
    :parameters (?x - item)
    :precondition (and
      (frozen ?x)
      (real ?x)
      (not (held ?x))
      (forall (?s - item) (or (not (cools-inside ?s)) (not (within ?x ?s)))))
    :effect (not (frozen ?x)))

  (:action let-cool-down
    :parameters (?x - item)
    :precondition (and (hot ?x) (real ?x) (not (heated ?x)))
    :effect (not (hot ?x)))

  ; BEHAVIOR-100: taps soak, cleaning tools clean.
  (:action soak
    :parameters (?h - hand ?x ?s - item)
    :precondition (and (holding ?h ?x) (wettable ?x) (soaks ?s) (reachable ?s) (toggled_on ?s))
    :effect (soaked ?x))

  (:action let-dry
    :parameters (?x - item)
    :precondition (and (soaked ?x) (real ?x) (not (held ?x)))
    :effect (not (soaked ?x)))

  (:action dust
    :parameters (?h - hand ?t ?x - item)
    :precondition (and (holding ?h ?t) (cleans ?t) (real ?x) (reachable ?x))
    :effect (not (dusty ?x)))

  (:action scrub
    :parameters (?h - hand ?t ?x - item)
    :precondition (and (holding ?h ?t) (cleans ?t) (real ?x) (reachable ?x) (or (not (wettable ?t)) (soaked ?t)))
    :effect (and (not (stained ?x)) (not (dusty ?x))))

  ; Layer: attaching.
  (:action attach
    :parameters (?h - hand ?x ?y - item)
    :precondition (and (holding ?h ?x) (attachable ?x ?y) (real ?y) (reachable ?y))
    :effect (and (attached ?x ?y) (not (holding ?h ?x)) (free ?h)))

  (:action detach
    :parameters (?h - hand ?x ?y - item)
    :precondition (and (free ?h) (attached ?x ?y) (movable ?x) (or (reachable ?x) (reachable ?y)))
    :effect (and (not (attached ?x ?y)) (holding ?h ?x) (not (free ?h))))

  ; Layer: cloth.
  (:action fold
    :parameters (?x - item)
    :precondition (and (real ?x) (foldable ?x) (reachable ?x))
    :effect (and (folded ?x) (not (unfolded ?x))))

  (:action unfold
    :parameters (?x - item)
    :precondition (and (real ?x) (foldable ?x) (reachable ?x))
    :effect (and (unfolded ?x) (not (folded ?x))))

  (:action drape-over
    :parameters (?h - hand ?x ?y - item)
    :precondition (and (holding ?h ?x) (drapeable ?x) (real ?y) (reachable ?y) (not (held ?y)))
    :effect (and (draped ?x ?y) (ontop ?x ?y) (not (holding ?h ?x)) (free ?h)))

  (:action lay-over
    :parameters (?h - hand ?x ?y - item)
    :precondition (and (holding ?h ?x) (drapeable ?x) (real ?y) (reachable ?y) (not (held ?y)))
    :effect (and (overlaid ?x ?y) (ontop ?x ?y) (not (holding ?h ?x)) (free ?h)))

  ; Layer: substances.
  (:action wipe-off
    :parameters (?h - hand ?t ?x - item ?s - substance)
    :precondition (and
      (holding ?h ?t)
      (covered ?x ?s)
      (real ?x)
      (reachable ?x)
      (or (removes ?t ?s) (exists (?w - substance) (and (removes-with ?t ?s ?w) (saturated ?t ?w)))))
    :effect (not (covered ?x ?s)))

  (:action wash
    :parameters (?x ?m - item ?s - substance)
    :precondition (and
      (covered ?x ?s)
      (washes ?m)
      (inside ?x ?m)
      (toggled_on ?m)
      (not (open ?m))
      (or (washed-out ?s)
          (exists (?w - substance)
            (and (washed-out-with ?s ?w) (or (contains ?m ?w) (filled ?m ?w) (saturated ?x ?w))))))
    :effect (not (covered ?x ?s)))

  (:action rinse
    :parameters (?h - hand ?x ?m - item ?s - substance)
    :precondition (and (holding ?h ?x) (drains ?m) (reachable ?m) (toggled_on ?m) (covered ?x ?s) (flows ?s))
    :effect (not (covered ?x ?s)))

  (:action soak-in
    :parameters (?h - hand ?t ?c - item ?s - substance)
    :precondition (and
      (holding ?h ?t)
      (soakable ?t)
      (real ?c)
      (reachable ?c)
      (or (contains ?c ?s) (filled ?c ?s) (and (insource ?c ?s) (or (not (toggleable ?c)) (toggled_on ?c)))))
    :effect (saturated ?t ?s))

  (:action wring-out
    :parameters (?h - hand ?t - item ?s - substance)
    :precondition (and (holding ?h ?t) (saturated ?t ?s))
    :effect (not (saturated ?t ?s)))

  (:action spread
    :parameters (?h - hand ?t ?x - item ?s - substance)
    :precondition (and (holding ?h ?t) (saturated ?t ?s) (real ?x) (reachable ?x))
    :effect (covered ?x ?s))

  (:action spray
    :parameters (?h - hand ?t ?x - item ?s - substance)
    :precondition (and (holding ?h ?t) (insource ?t ?s) (real ?x) (reachable ?x))
    :effect (and (covered ?x ?s) (when (fillable ?x) (contains ?x ?s)) (when (soakable ?x) (saturated ?x ?s)) (real ?s)))

  (:action hold-under
    :parameters (?h - hand ?x ?m - item ?s - substance)
    :precondition (and (holding ?h ?x) (insource ?m ?s) (reachable ?m) (toggled_on ?m))
    :effect (and
      (covered ?x ?s)
      (real ?s)
      (when (fillable ?x) (and (filled ?x ?s) (contains ?x ?s)))
      (when (soakable ?x) (saturated ?x ?s))))

  (:action run-into
    :parameters (?x ?m - item ?s - substance)
    :precondition (and (insource ?m ?s) (reachable ?m) (toggled_on ?m) (fillable ?x) (or (inside ?x ?m) (ontop ?x ?m) (= ?x ?m)))
    :effect (and (filled ?x ?s) (contains ?x ?s) (real ?s)))

  (:action pour
    :parameters (?h - hand ?c ?x - item ?s - substance)
    :precondition (and
      (holding ?h ?c)
      (or (filled ?c ?s) (contains ?c ?s) (and (covered ?c ?s) (flows ?s)))
      (real ?x)
      (reachable ?x))
    :effect (and
      (covered ?x ?s)
      (when (fillable ?x) (and (filled ?x ?s) (contains ?x ?s)))
      (when (soakable ?x) (saturated ?x ?s))
      (not (filled ?c ?s))))

  (:action scoop-from
    :parameters (?h - hand ?x ?c - item ?s - substance)
    :precondition (and
      (holding ?h ?x)
      (fillable ?x)
      (real ?c)
      (reachable ?c)
      (or (filled ?c ?s) (contains ?c ?s) (and (covered ?c ?s) (flows ?s))))
    :effect (and (filled ?x ?s) (contains ?x ?s)))

  (:action empty-into
    :parameters (?h - hand ?c ?x - item ?s - substance)
    :precondition (and
      (holding ?h ?c)
      (or (filled ?c ?s) (contains ?c ?s))
      (real ?x)
      (reachable ?x)
      (or (drains ?x) (ground ?x) (container ?x)))
    :effect (and
      (not (filled ?c ?s))
      (not (contains ?c ?s))
      (when (not (drains ?x)) (covered ?x ?s))
      (when (fillable ?x) (contains ?x ?s))))

  ; Layer: transitions. Halves lie where the whole lay; what is diced lies on what it was cut on.
  (:action cut
    :parameters (?h - hand ?t ?x - item)
    :precondition (and
      (holding ?h ?t)
      (cuts ?t)
      (movable ?x)
      (real ?x)
      (reachable ?x)
      (exists (?s - item) (or (ontop ?x ?s) (inside ?x ?s))))
    :effect (and
      (sliced ?x)
      (forall (?y - item)
        (when (half-of ?y ?x)
          (and (real ?y)
               (not (real ?x))
               (forall (?s - item)
                 (and (when (ontop ?x ?s) (and (ontop ?y ?s) (not (ontop ?x ?s))))
                      (when (inside ?x ?s) (and (inside ?y ?s) (not (inside ?x ?s)))))))))))

  (:action dice
    :parameters (?h - hand ?t ?x ?on - item ?s - substance)
    :precondition (and
      (holding ?h ?t)
      (cuts ?t)
      (real ?x)
      (reachable ?x)
      (or (and (dices-into ?x ?s) (not (cooked ?x))) (and (dices-cooked-into ?x ?s) (cooked ?x)))
      (or (ontop ?x ?on) (inside ?x ?on)))
    :effect (and
      (real ?s)
      (not (real ?x))
      (not (ontop ?x ?on))
      (not (inside ?x ?on))
      (covered ?on ?s)
      (when (fillable ?on) (contains ?on ?s))))

  (:action melt
    :parameters (?x ?c - item ?s - substance)
    :precondition (and (real ?x) (melts-into ?x ?s) (heated ?x) (or (ontop ?x ?c) (inside ?x ?c)))
    :effect (and
      (real ?s)
      (not (real ?x))
      (not (ontop ?x ?c))
      (not (inside ?x ?c))
      (covered ?c ?s)
      (when (fillable ?c) (and (filled ?c ?s) (contains ?c ?s)))))

  (:action cook-substance
    :parameters (?s ?y - substance ?c - item)
    :precondition (and
      (cooks-into ?s ?y)
      (or (heated ?c) (and (heats-inside ?c) (toggled_on ?c)))
      (or (filled ?c ?s) (contains ?c ?s) (covered ?c ?s)))
    :effect (and
      (real ?y)
      (when (filled ?c ?s) (and (filled ?c ?y) (not (filled ?c ?s))))
      (when (contains ?c ?s) (and (contains ?c ?y) (not (contains ?c ?s))))
      (when (covered ?c ?s) (and (covered ?c ?y) (not (covered ?c ?s))))))

  (:derived (ready-in ?x - thing ?c - item)
    (or (exists (?i - item) (and (= ?i ?x) (real ?i) (or (inside ?i ?c) (ontop ?i ?c))))
        (exists (?s - substance)
          (and (= ?s ?x)
               (or (filled ?c ?s)
                   (contains ?c ?s)
                   (covered ?c ?s)
                   (exists (?i - item) (and (covered ?i ?s) (or (inside ?i ?c) (ontop ?i ?c)))))))))

  (:action cook-recipe
    :parameters (?r - recipe ?c ?s - item)
    :precondition (and
      (vessel-of ?r ?c)
      (heat-of ?r ?s)
      (real ?c)
      (or (within ?c ?s) (over ?c ?s))
      (or (toggled_on ?s) (works-off ?s))
      (or (not (heats-closed ?s)) (not (open ?s)))
      (forall (?x - thing) (imply (needs ?r ?x) (ready-in ?x ?c)))
      (forall (?x - item) (and (imply (needs-cooked ?r ?x) (cooked ?x)) (imply (needs-raw ?r ?x) (not (cooked ?x))))))
    :effect (and
      (forall (?x - substance)
        (and (when (makes ?r ?x) (and (real ?x) (filled ?c ?x) (contains ?c ?x) (covered ?c ?x)))
             (when (needs ?r ?x) (and (not (filled ?c ?x)) (not (contains ?c ?x)) (not (covered ?c ?x))))))
      (forall (?x - item)
        (and (when (makes ?r ?x) (and (real ?x) (ontop ?x ?c)))
             (when (makes-cooked ?r ?x) (cooked ?x))
             (when (needs ?r ?x) (and (not (real ?x)) (not (inside ?x ?c)) (not (ontop ?x ?c))))))))

  (:action stir
    :parameters (?h - hand ?r - recipe ?t ?c - item)
    :precondition (and
      (holding ?h ?t)
      (stirs ?t)
      (stirred ?r)
      (fillable ?c)
      (real ?c)
      (reachable ?c)
      (forall (?x - thing) (imply (needs ?r ?x) (ready-in ?x ?c)))
      (forall (?x - item) (and (imply (needs-cooked ?r ?x) (cooked ?x)) (imply (needs-raw ?r ?x) (not (cooked ?x))))))
    :effect (and
      (forall (?x - substance)
        (and (when (makes ?r ?x) (and (real ?x) (filled ?c ?x) (contains ?c ?x)))
             (when (needs ?r ?x) (and (not (filled ?c ?x)) (not (contains ?c ?x)) (not (covered ?c ?x))))))
      (forall (?x - item)
        (and (when (makes ?r ?x) (and (real ?x) (inside ?x ?c)))
             (when (needs ?r ?x) (and (not (real ?x)) (not (inside ?x ?c)) (not (ontop ?x ?c))))))))

  (:action run
    :parameters (?r - recipe ?m - item)
    :precondition (and
      (machine-of ?r ?m)
      (real ?m)
      (toggled_on ?m)
      (forall (?x - thing) (imply (needs ?r ?x) (ready-in ?x ?m)))
      (forall (?x - item) (and (imply (needs-cooked ?r ?x) (cooked ?x)) (imply (needs-raw ?r ?x) (not (cooked ?x))))))
    :effect (and
      (forall (?x - substance)
        (and (when (makes ?r ?x) (and (real ?x) (filled ?m ?x) (contains ?m ?x)))
             (when (needs ?r ?x) (and (not (filled ?m ?x)) (not (contains ?m ?x)) (not (covered ?m ?x))))))
      (forall (?x - item)
        (and (when (makes ?r ?x) (and (real ?x) (inside ?x ?m)))
             (when (needs ?r ?x) (and (not (real ?x)) (not (inside ?x ?m)) (not (ontop ?x ?m)))))))))
