; HandMeThat: a human and a robot in a household (Tables 7 to 10 of the paper).
;
; One domain for both: the first parameter of every action is the agent, and `acts` says who may act in a problem.
; Whoever does not act stands `still`; the robot moves to the human as to a location, to give or take something.
; Relations are direct: what is on a plate on the table is on the plate, not on the table, and goes where the plate
; goes. Nothing is reached in a closed container, nor in a container that is not itself at the agent's location.
; The subclasses that have one category (bucket, box ...) are their category.
(define (domain handmethat)
  (:requirements :adl)
  (:types
    place movable - object
    agent location - place
    human robot - agent
    receptacle item - movable
    food tool thing - item
    floor countertop sofa bed stove table shelf toilet cabinet bathtub microwave oven dishwasher
    refrigerator sink pool - location
    furniture vessel tableware utensil bag bucket tray basket box package ashcan xmas-stocking xmas-tree
    - receptacle
    highchair chair seat - furniture
    bottle jar kettle caldron - vessel
    bowl mug plate dish cup - tableware
    saucepan pan casserole - utensil
    duffel-bag sack backpack briefcase - bag
    fruit vegetable drink protein flavorer baked-food snack prepared-food - food
    apple banana melon grape lemon orange peach strawberry raspberry date olive chestnut - fruit
    carrot radish tomato broccoli mushroom onion lettuce pumpkin - vegetable
    pop beer juice water milk - drink
    beef chicken pork fish egg - protein
    catsup sauce parsley tea-bag sugar vegetable-oil - flavorer
    cracker bread cookie cake - baked-food
    chip hamburger sandwich candy - snack
    oatmeal sushi salad soup pasta - prepared-food
    metal-tool electric-equipment electrical-device toiletry writing-tool piece-of-cloth cleaning-tool
    cleansing cutlery illumination-tool - tool
    carving-knife hammer screwdriver scraper saw - metal-tool
    printer scanner facsimile modem - electric-equipment
    calculator headset earphone mouse alarm - electrical-device
    toothbrush perfume makeup - toiletry
    highlighter marker pen pencil - writing-tool
    dishtowel hand-towel rag - piece-of-cloth
    scrub-brush broom vacuum - cleaning-tool
    soap shampoo detergent toothpaste - cleansing
    fork spoon knife - cutlery
    lamp candle - illumination-tool
    decoration paper-product footwear headwear clothing building-materials plaything - thing
    necklace bracelet jewelry bow wreath ribbon - decoration
    hardback notebook book newspaper painting pad document - paper-product
    gym-shoe sandal shoe sock - footwear
    hat sunglass - headwear
    shirt sweater underwear apparel - clothing
    tile plywood - building-materials
    cube ball - plaything)

  (:predicates
    ; What never changes: who acts, Table 8's meta-properties, what the constraints of Table 10 need, and looks.
    (acts ?a - agent)
    (still ?p - place)                       ; a place to go to: the locations, and who does not act
    (has-inside ?c - object)
    (has-ontop ?c - object)
    (openable ?c - object)
    (toggleable ?x - object)
    (cookable ?x - movable)
    (freezable ?x - movable)
    (sliceable ?x - movable)
    (soakable ?x - movable)
    (dustyable ?x - object)
    (stainable ?x - object)
    (heats ?l - location)
    (cools ?l - location)
    (soaks ?l - location)
    (cuts ?t - tool)
    (cleans ?t - tool ?x - object)
    (red ?x - receptacle)
    (green ?x - receptacle)
    (blue ?x - receptacle)
    (large ?x - receptacle)
    (small ?x - receptacle)
    ; Where things are.
    (at ?a - agent ?p - place)
    (holding ?a - agent ?x - movable)
    (hand-empty ?a - agent)
    (inside ?x - movable ?c - object)        ; directly; ?c is a location or a receptacle
    (ontop ?x - movable ?c - object)
    ; What state they are in.
    (open ?x - object)
    (toggled ?x - object)
    (cooked ?x - movable)
    (frozen ?x - movable)
    (sliced ?x - movable)
    (soaked ?x - movable)
    (dusty ?x - object)
    (stained ?x - object))

  (:action move
    :parameters (?a - agent ?from ?to - place)
    :precondition (and
      (acts ?a)
      (at ?a ?from)
      (still ?to)
      (not (= ?from ?to)))
    :effect (and
      (not (at ?a ?from))
      (at ?a ?to)))

  (:action pick-up-at-loc
    :parameters (?a - agent ?x - movable ?l - location)
    :precondition (and
      (acts ?a)
      (at ?a ?l)
      (hand-empty ?a)
      (or (ontop ?x ?l) (and (inside ?x ?l) (or (not (openable ?l)) (open ?l)))))
    :effect (and
      (holding ?a ?x)
      (not (hand-empty ?a))
      (not (inside ?x ?l))
      (not (ontop ?x ?l))))

  (:action pick-up-from-rec-at-loc
    :parameters (?a - agent ?x - item ?r - receptacle ?l - location)
    :precondition (and
      (acts ?a)
      (at ?a ?l)
      (hand-empty ?a)
      (or (ontop ?x ?r) (and (inside ?x ?r) (or (not (openable ?r)) (open ?r))))
      (or (ontop ?r ?l) (and (inside ?r ?l) (or (not (openable ?l)) (open ?l)))))
    :effect (and
      (holding ?a ?x)
      (not (hand-empty ?a))
      (not (inside ?x ?r))
      (not (ontop ?x ?r))))

  (:action put-inside-loc
    :parameters (?a - agent ?x - movable ?l - location)
    :precondition (and
      (acts ?a)
      (at ?a ?l)
      (holding ?a ?x)
      (has-inside ?l)
      (or (not (openable ?l)) (open ?l)))
    :effect (and
      (inside ?x ?l)
      (not (holding ?a ?x))
      (hand-empty ?a)))

  (:action put-ontop-loc
    :parameters (?a - agent ?x - movable ?l - location)
    :precondition (and
      (acts ?a)
      (at ?a ?l)
      (holding ?a ?x)
      (has-ontop ?l))
    :effect (and
      (ontop ?x ?l)
      (not (holding ?a ?x))
      (hand-empty ?a)))

  (:action put-inside-rec-at-loc
    :parameters (?a - agent ?x - item ?r - receptacle ?l - location)
    :precondition (and
      (acts ?a)
      (at ?a ?l)
      (holding ?a ?x)
      (has-inside ?r)
      (or (not (openable ?r)) (open ?r))
      (or (ontop ?r ?l) (and (inside ?r ?l) (or (not (openable ?l)) (open ?l)))))
    :effect (and
      (inside ?x ?r)
      (not (holding ?a ?x))
      (hand-empty ?a)))

  (:action put-ontop-rec-at-loc
    :parameters (?a - agent ?x - item ?r - receptacle ?l - location)
    :precondition (and
      (acts ?a)
      (at ?a ?l)
      (holding ?a ?x)
      (has-ontop ?r)
      (or (ontop ?r ?l) (and (inside ?r ?l) (or (not (openable ?l)) (open ?l)))))
    :effect (and
      (ontop ?x ?r)
      (not (holding ?a ?x))
      (hand-empty ?a)))

  (:action open-loc
    :parameters (?a - agent ?l - location)
    :precondition (and
      (acts ?a)
      (at ?a ?l)
      (openable ?l)
      (not (open ?l)))
    :effect (open ?l))

  (:action close-loc
    :parameters (?a - agent ?l - location)
    :precondition (and
      (acts ?a)
      (at ?a ?l)
      (openable ?l)
      (open ?l))
    :effect (not (open ?l)))

  (:action open-rec-at-loc
    :parameters (?a - agent ?r - receptacle ?l - location)
    :precondition (and
      (acts ?a)
      (at ?a ?l)
      (openable ?r)
      (not (open ?r))
      (or (ontop ?r ?l) (and (inside ?r ?l) (or (not (openable ?l)) (open ?l)))))
    :effect (open ?r))

  (:action close-rec-at-loc
    :parameters (?a - agent ?r - receptacle ?l - location)
    :precondition (and
      (acts ?a)
      (at ?a ?l)
      (openable ?r)
      (open ?r)
      (or (ontop ?r ?l) (and (inside ?r ?l) (or (not (openable ?l)) (open ?l)))))
    :effect (not (open ?r)))

  (:action toggle-on-loc
    :parameters (?a - agent ?l - location)
    :precondition (and
      (acts ?a)
      (at ?a ?l)
      (toggleable ?l)
      (not (toggled ?l)))
    :effect (toggled ?l))

  (:action toggle-off-loc
    :parameters (?a - agent ?l - location)
    :precondition (and
      (acts ?a)
      (at ?a ?l)
      (toggleable ?l)
      (toggled ?l))
    :effect (not (toggled ?l)))

  (:action toggle-on-obj-at-loc
    :parameters (?a - agent ?x - movable ?l - location)
    :precondition (and
      (acts ?a)
      (at ?a ?l)
      (toggleable ?x)
      (not (toggled ?x))
      (or (ontop ?x ?l) (and (inside ?x ?l) (or (not (openable ?l)) (open ?l)))))
    :effect (toggled ?x))

  (:action toggle-off-obj-at-loc
    :parameters (?a - agent ?x - movable ?l - location)
    :precondition (and
      (acts ?a)
      (at ?a ?l)
      (toggleable ?x)
      (toggled ?x)
      (or (ontop ?x ?l) (and (inside ?x ?l) (or (not (openable ?l)) (open ?l)))))
    :effect (not (toggled ?x)))

  ; Heating and cooling ask for a closed door and an empty hand.
  (:action heat-obj
    :parameters (?a - agent ?x - movable ?l - location)
    :precondition (and
      (acts ?a)
      (at ?a ?l)
      (hand-empty ?a)
      (cookable ?x)
      (heats ?l)
      (toggled ?l)
      (not (open ?l))
      (or (inside ?x ?l) (ontop ?x ?l)))
    :effect (and
      (cooked ?x)
      (not (frozen ?x))
      (not (toggled ?l))))

  (:action cool-obj
    :parameters (?a - agent ?x - movable ?l - location)
    :precondition (and
      (acts ?a)
      (at ?a ?l)
      (hand-empty ?a)
      (freezable ?x)
      (cools ?l)
      (toggled ?l)
      (not (open ?l))
      (inside ?x ?l))
    :effect (and
      (frozen ?x)
      (not (cooked ?x))))

  (:action soak-obj
    :parameters (?a - agent ?x - movable ?l - location)
    :precondition (and
      (acts ?a)
      (at ?a ?l)
      (soakable ?x)
      (soaks ?l)
      (toggled ?l)
      (inside ?x ?l))
    :effect (and
      (soaked ?x)
      (not (toggled ?l))))

  (:action slice-obj
    :parameters (?a - agent ?x - movable ?t - tool ?l - location)
    :precondition (and
      (acts ?a)
      (at ?a ?l)
      (cuts ?t)
      (holding ?a ?t)
      (sliceable ?x)
      (ontop ?x ?l))
    :effect (sliced ?x))

  (:action clean-obj-at-loc
    :parameters (?a - agent ?x - movable ?t - tool ?l - location)
    :precondition (and
      (acts ?a)
      (at ?a ?l)
      (cleans ?t ?x)
      (holding ?a ?t)
      (or (not (soakable ?t)) (soaked ?t))
      (or (ontop ?x ?l) (and (inside ?x ?l) (or (not (openable ?l)) (open ?l)))))
    :effect (and
      (not (dusty ?x))
      (not (stained ?x))))

  (:action clean-loc
    :parameters (?a - agent ?t - tool ?l - location)
    :precondition (and
      (acts ?a)
      (at ?a ?l)
      (cleans ?t ?l)
      (holding ?a ?t)
      (or (not (soakable ?t)) (soaked ?t)))
    :effect (and
      (not (dusty ?l))
      (not (stained ?l))))

  ; Only a robot gives and takes; the human has one hand, too.
  (:action bring-to-human
    :parameters (?a - robot ?x - movable ?h - human)
    :precondition (and
      (acts ?a)
      (at ?a ?h)
      (still ?h)
      (holding ?a ?x)
      (hand-empty ?h))
    :effect (and
      (holding ?h ?x)
      (not (holding ?a ?x))
      (not (hand-empty ?h))
      (hand-empty ?a)))

  (:action take-from-human
    :parameters (?a - robot ?x - movable ?h - human)
    :precondition (and
      (acts ?a)
      (at ?a ?h)
      (still ?h)
      (holding ?h ?x)
      (hand-empty ?a))
    :effect (and
      (holding ?a ?x)
      (not (holding ?h ?x))
      (not (hand-empty ?a))
      (hand-empty ?h))))
