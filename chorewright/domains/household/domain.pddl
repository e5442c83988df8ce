; The household: what can be done in an iTHOR room, at the level of simulator interactions.
;
; A thing is touched from a pose that is near it. Items travel with the item they lie in, at most two deep: an item
; that holds something goes onto furniture, never into another item. A closed door hides what lies behind it.
; In a tidy household a demonstrator walks away only after closing the door and turning off the appliance it used,
; and slices only what lies openly on furniture, not in a pan or a fridge. A careful one, besides, turns off also
; what ran at the start once it has made use of it, puts no coffee into a sink nor a dish with something on it, and
; empties nothing into other vessels.
; Effects of sinks, microwaves, stoves, toasters, coffee machines and fridges are those of AI2-THOR as TEACh and
; ALFRED extend it.
(define (domain household)
  (:requirements :adl :action-costs)
  (:types
    pose thing - object
    item fixture - thing
    alarmclock aluminumfoil apple applesliced baseballbat basketball book boots bottle bowl box bread
    breadsliced butterknife cd candle cellphone cloth creditcard cup dishsponge dumbbell egg eggcracked
    footstool fork handtowel kettle keychain knife ladle laptop lettuce lettucesliced mug newspaper pan
    papertowelroll pen pencil peppershaker pillow plate plunger pot potato potatosliced remotecontrol
    saltshaker scrubbrush soapbar soapbottle spatula spoon spraybottle statue tabletopdecor teddybear
    tennisracket tissuebox toiletpaper tomato tomatosliced towel vase watch wateringcan winebottle - item
    armchair bathtub bathtubbasin bed blinds cabinet chair coffeemachine coffeetable countertop curtains desk
    desklamp desktop diningtable dogbed drawer dresser faucet floor floorlamp fridge garbagebag garbagecan
    handtowelholder houseplant laundryhamper lightswitch microwave mirror ottoman painting papertowel poster
    roomdecor safe shelf shelvingunit showercurtain showerdoor showerglass showerhead sidetable sink
    sinkbasin sofa stool stoveburner stoveknob tvstand television toaster toilet toiletpaperhanger
    towelholder vacuumcleaner window - fixture)

  (:predicates
    ; What never changes.
    (tidy)
    (careful)
    (receptacle ?x - thing)
    (furniture ?x - thing)                   ; what is not an item
    (fits ?x - item ?r - thing)              ; x may be put in or on r
    (single ?r - thing)                      ; r has room for one item
    (openable ?x - thing)
    (door ?x - thing)                        ; an openable that is closed before one walks away
    (toggleable ?x - thing)
    (shut-to-run ?x - thing)                 ; runs only while closed (microwave)
    (attended ?x - thing)                    ; an appliance that is turned off before one walks away
    (sliceable ?x - item)
    (sharp ?x - item)
    (piece-of ?s ?x - item)                  ; slicing x yields s
    (fillable ?x - thing)
    (drain ?x - thing)                       ; liquids can be poured away here
    (controls ?x ?y - thing)                 ; turning on x works on what is in y (an appliance controls itself)
    (rinses ?x - thing)
    (heats ?x - thing)
    (chills ?x - thing)
    (brews ?x - thing)
    (cooks ?x - thing ?i - item)             ; x, when on, cooks i
    (upon ?x ?r - thing)                     ; a fixture x stands on r, or on what stands there
    ; Where things are.
    (at ?p - pose)
    (near ?x - thing ?p - pose)              ; from p one sees and reaches x
    (in ?x - item ?r - thing)                ; directly in or on
    (exposed ?x - thing)                     ; no closed door around it
    (occupied ?r - thing)
    (holding ?x - item)
    (hand-empty)
    (present ?x - item)                      ; pieces are not, until their item is sliced; nor is a sliced item
    ; What state they are in.
    (is-open ?x - thing)
    (ajar)                                   ; the demonstrator has left a door open
    (left-open ?x - thing)                   ; this one; not a door that stood open at the start
    (is-on ?x - thing)
    (running)                                ; the demonstrator has left an appliance on
    (left-on ?x - thing)                     ; this one; not an appliance that ran at the start
    (dirty ?x - thing)
    (cleaned ?x - item)                      ; lay in a sink when its faucet was turned on, likewise
    (hot ?x - item)                          ; has been heated, as ALFRED remembers it
    (cool ?x - item)                         ; has been cooled
    (cooked ?x - item)
    (warmed ?x - item)                       ; came out of a microwave that does not cook it: bread is no toast
    (boiled ?x - item)
    (sliced ?x - item)
    (filled ?x - thing)
    (watered ?x - thing)                     ; has held water
    (coffee ?x - thing))

  (:functions
    (total-cost) - number
    (distance ?from ?to - pose) - number)    ; navigation actions from pose to pose

  (:action go-to
    :parameters (?from ?to - pose)
    :precondition (and
      (at ?from)
      (not (= ?from ?to))
      (or (not (tidy)) (and (not (ajar)) (not (running)))))
    :effect (and
      (not (at ?from))
      (at ?to)
      (increase (total-cost) (distance ?from ?to))))

  (:action pick-up
    :parameters (?x - item ?r - thing ?p - pose)
    :precondition (and
      (at ?p)
      (near ?x ?p)
      (near ?r ?p)                           ; always so; said for grounding
      (in ?x ?r)
      (exposed ?x)
      (hand-empty))
    :effect (and
      (not (hand-empty))
      (holding ?x)
      (not (in ?x ?r))
      (not (near ?x ?p))
      (when (single ?r) (not (occupied ?r)))
      (forall (?c - item) (when (in ?c ?x) (not (near ?c ?p))))
      (increase (total-cost) 1)))

  (:action put
    :parameters (?x - item ?r - thing ?p - pose)
    :precondition (and
      (at ?p)
      (near ?r ?p)
      (holding ?x)
      (receptacle ?r)
      (fits ?x ?r)
      (or (not (openable ?r)) (is-open ?r))
      (not (occupied ?r))
      (exposed ?r)
      (or (furniture ?r) (forall (?c - item) (imply (fits ?c ?x) (not (in ?c ?x)))))
      (or (not (careful)) (not (drain ?r)) (not (fillable ?x)) (not (coffee ?x)))
      (or (not (careful)) (not (drain ?r)) (forall (?c - item) (imply (fits ?c ?x) (not (in ?c ?x))))))
    :effect (and
      (hand-empty)
      (not (holding ?x))
      (in ?x ?r)
      (near ?x ?p)
      (exposed ?x)
      (when (single ?r) (occupied ?r))
      (forall (?c - item) (when (in ?c ?x) (near ?c ?p)))
      ; Under running water, or onto a hot burner.
      (forall (?f - thing)
        (when (and (rinses ?f) (controls ?f ?r) (is-on ?f)) (not (dirty ?x))))
      (forall (?f - thing)
        (when (and (rinses ?f) (controls ?f ?r) (is-on ?f) (fillable ?x))
          (and (filled ?x) (watered ?x))))
      (forall (?f - thing)
        (when (and (controls ?f ?r) (is-on ?f) (cooks ?r ?x)) (cooked ?x)))
      (forall (?f - thing ?c - item)
        (when (and (controls ?f ?r) (is-on ?f) (in ?c ?x) (cooks ?r ?c)) (cooked ?c)))
      (forall (?f - thing ?c - item)
        (when (and (controls ?f ?r) (is-on ?f) (in ?c ?x) (cooks ?r ?c)
            (not (cooked ?c)) (or (filled ?x) (watered ?x)))
          (boiled ?c)))
      (forall (?f - thing ?c - item)
        (when (and (rinses ?f) (controls ?f ?r) (is-on ?f) (in ?c ?x)) (not (dirty ?c))))
      (forall (?f - thing ?c - item)
        (when (and (rinses ?f) (controls ?f ?r) (is-on ?f) (in ?c ?x) (fillable ?c))
          (and (filled ?c) (watered ?c))))
      (when (and (brews ?r) (is-on ?r) (fillable ?x) (not (filled ?x))) (and (filled ?x) (coffee ?x)))
      (forall (?f - thing)
        (when (and (careful) (attended ?f) (controls ?f ?r) (is-on ?f)) (and (running) (left-on ?f))))
      ; Into what stands there, as a pan on a hot burner.
      (forall (?m - item ?b ?f - thing)
        (when (and (= ?m ?r) (rinses ?f) (controls ?f ?b) (is-on ?f) (in ?m ?b)) (not (dirty ?x))))
      (forall (?m - item ?b ?f - thing)
        (when (and (= ?m ?r) (rinses ?f) (controls ?f ?b) (is-on ?f) (in ?m ?b) (fillable ?x))
          (and (filled ?x) (watered ?x))))
      (forall (?m - item ?b ?f - thing)
        (when (and (= ?m ?r) (controls ?f ?b) (cooks ?b ?x) (is-on ?f) (in ?m ?b)) (cooked ?x)))
      (forall (?m - item ?b ?f - thing)
        (when (and (= ?m ?r) (controls ?f ?b) (cooks ?b ?x) (is-on ?f) (in ?m ?b)
            (not (cooked ?x)) (or (filled ?m) (watered ?m)))
          (boiled ?x)))
      (forall (?m - item ?b ?f - thing)
        (when (and (careful) (= ?m ?r) (attended ?f) (controls ?f ?b) (is-on ?f) (in ?m ?b))
          (and (running) (left-on ?f))))
      (increase (total-cost) 1)))

  (:action open
    :parameters (?x - thing ?p - pose)
    :precondition (and
      (at ?p)
      (near ?x ?p)
      (openable ?x)
      (not (is-open ?x))
      (or (not (toggleable ?x)) (not (shut-to-run ?x)) (not (is-on ?x)))
      (exposed ?x)
      (or (not (tidy)) (not (door ?x)) (not (ajar))))
    :effect (and
      (is-open ?x)
      (when (door ?x) (and (ajar) (left-open ?x)))
      (forall (?i - item) (when (in ?i ?x) (exposed ?i)))
      (forall (?i ?c - item)
        (when (and (in ?i ?x) (in ?c ?i) (or (not (openable ?i)) (is-open ?i))) (exposed ?c)))
      (increase (total-cost) 1)))

  (:action close
    :parameters (?x - thing ?p - pose)
    :precondition (and
      (at ?p)
      (near ?x ?p)
      (openable ?x)
      (is-open ?x)
      (exposed ?x))
    :effect (and
      (not (is-open ?x))
      (when (left-open ?x) (and (not (ajar)) (not (left-open ?x))))
      (forall (?i - item) (when (and (receptacle ?x) (in ?i ?x)) (not (exposed ?i))))
      (forall (?i ?c - item) (when (and (receptacle ?x) (in ?i ?x) (in ?c ?i)) (not (exposed ?c))))
      (forall (?i - item) (when (and (chills ?x) (in ?i ?x)) (cool ?i)))
      (forall (?i ?c - item)
        (when (and (chills ?x) (in ?i ?x) (in ?c ?i)) (cool ?c)))
      (increase (total-cost) 1)))

  (:action toggle-on
    :parameters (?x - thing ?p - pose)
    :precondition (and
      (at ?p)
      (near ?x ?p)
      (toggleable ?x)
      (not (is-on ?x))
      (or (not (shut-to-run ?x)) (not (is-open ?x)))
      (exposed ?x)
      (or (not (tidy)) (not (attended ?x)) (not (running))))
    :effect (and
      (is-on ?x)
      (when (attended ?x) (and (running) (left-on ?x)))
      (forall (?y - thing ?i - item)
        (when (and (rinses ?x) (controls ?x ?y) (in ?i ?y)) (not (dirty ?i))))
      (forall (?y - sinkbasin ?i - item)
        (when (and (rinses ?x) (controls ?x ?y) (in ?i ?y)) (cleaned ?i)))
      (forall (?y - thing ?i - item)
        (when (and (rinses ?x) (controls ?x ?y) (in ?i ?y) (fillable ?i))
          (and (filled ?i) (watered ?i))))
      (forall (?y - thing ?i ?c - item)
        (when (and (rinses ?x) (controls ?x ?y) (in ?i ?y) (in ?c ?i)) (not (dirty ?c))))
      (forall (?y - sinkbasin ?i ?c - item)
        (when (and (rinses ?x) (controls ?x ?y) (in ?i ?y) (in ?c ?i)) (cleaned ?c)))
      (forall (?y - thing ?i ?c - item)
        (when (and (rinses ?x) (controls ?x ?y) (in ?i ?y) (in ?c ?i) (fillable ?c))
          (and (filled ?c) (watered ?c))))
      (forall (?i - item)
        (when (and (heats ?x) (in ?i ?x)) (hot ?i)))
      (forall (?i ?c - item)
        (when (and (heats ?x) (in ?i ?x) (in ?c ?i)) (hot ?c)))
      (forall (?y - thing ?i - item)
        (when (and (controls ?x ?y) (cooks ?y ?i) (in ?i ?y)) (cooked ?i)))
      (forall (?y - thing ?i ?c - item)
        (when (and (controls ?x ?y) (cooks ?y ?c) (in ?i ?y) (in ?c ?i)) (cooked ?c)))
      (forall (?y - thing ?i ?c - item)
        (when (and (controls ?x ?y) (cooks ?y ?c) (in ?i ?y) (in ?c ?i)
            (not (cooked ?c)) (or (filled ?i) (watered ?i)))
          (boiled ?c)))
      (forall (?i - item)
        (when (and (brews ?x) (in ?i ?x) (fillable ?i) (not (filled ?i))) (and (filled ?i) (coffee ?i))))
      (increase (total-cost) 1)))

  (:action toggle-off
    :parameters (?x - thing ?p - pose)
    :precondition (and
      (at ?p)
      (near ?x ?p)
      (toggleable ?x)
      (is-on ?x)
      (exposed ?x))
    :effect (and
      (not (is-on ?x))
      (when (left-on ?x) (and (not (running)) (not (left-on ?x))))
      (increase (total-cost) 1)))

  (:action slice
    :parameters (?x ?k - item ?r - thing ?p - pose)
    :precondition (and
      (at ?p)
      (near ?x ?p)
      (near ?r ?p)
      (in ?x ?r)
      (exposed ?x)
      (sliceable ?x)
      (sharp ?k)
      (holding ?k)
      (or (not (tidy)) (and (furniture ?r) (not (openable ?r)))))
    :effect (and
      (sliced ?x)
      (not (present ?x))
      (not (in ?x ?r))
      (not (near ?x ?p))
      (not (exposed ?x))
      (forall (?s - item)
        (when (piece-of ?s ?x) (and (present ?s) (in ?s ?r) (near ?s ?p) (exposed ?s))))
      (forall (?s - item) (when (and (piece-of ?s ?x) (cooked ?x)) (cooked ?s)))
      (forall (?s - item) (when (and (piece-of ?s ?x) (boiled ?x)) (boiled ?s)))
      ; In a pan on a hot burner.
      (forall (?s ?m - item ?b ?f - thing)
        (when (and (piece-of ?s ?x) (= ?m ?r) (controls ?f ?b) (cooks ?b ?s) (is-on ?f) (in ?m ?b))
          (cooked ?s)))
      (forall (?s ?m - item ?b ?f - thing)
        (when (and (piece-of ?s ?x) (= ?m ?r) (controls ?f ?b) (cooks ?b ?s) (is-on ?f) (in ?m ?b)
            (not (cooked ?x)) (or (filled ?m) (watered ?m)))
          (boiled ?s)))
      (increase (total-cost) 1)))

  (:action pour
    :parameters (?x - item ?y - thing ?p - pose)
    :precondition (and
      (at ?p)
      (near ?y ?p)
      (holding ?x)
      (filled ?x)
      (or (drain ?y) (and (fillable ?y) (not (filled ?y))))
      (or (not (careful)) (drain ?y) (furniture ?y))
      (or (not (careful)) (not (coffee ?x)) (dirty ?x))
      (exposed ?y))
    :effect (and
      (not (filled ?x))
      (not (coffee ?x))
      (when (fillable ?y) (filled ?y))
      (increase (total-cost) 1))))
