; CALVIN's tabletop as the published symbolic model has it, which its 1,000 evaluation chains are drawn from. It differs
; from the domain tabletop, which is the table as it is, in three places:
; - place_in_slider writes down the compartment that the door covers, although a block can only go into the other one;
; - compartments have room for any number of blocks;
; - push_into_drawer wants the other blocks in compartments; that they are in the drawer would do.
(define (domain calvin-compatible)
  (:requirements :adl)
  (:types
    block light direction place - object
    container - place
    compartment - container)
  (:constants
    red_block blue_block pink_block - block
    lightbulb led - light
    left right - direction
    table - place
    drawer - container
    slider_left slider_right - compartment)

  (:predicates
    (hand-free)
    (grasped ?b - block)
    (in ?b - block ?p - place)             ; lies in a container, or on the table outside any stack
    (on ?b ?below - block)                 ; is stacked; the stack is on the table
    (open ?c - container)                  ; of a compartment: the door is not before it
    (lit ?l - light)
    ; What has been done. No action asks for it, goals may.
    (rotated ?b - block ?d - direction)
    (pushed ?b - block ?d - direction)
    (pushed-into ?b - block ?c - container)
    (lifted ?b - block ?p - place)
    (placed ?b - block ?c - container)
    (unstacked ?b ?below - block))

  (:action rotate_block_right
    :parameters (?b - block)
    :precondition (and
      (hand-free)
      (in ?b table))
    :effect (and
      (rotated ?b right)))

  (:action rotate_block_left
    :parameters (?b - block)
    :precondition (and
      (hand-free)
      (in ?b table))
    :effect (and
      (rotated ?b left)))

  (:action push_block_right
    :parameters (?b - block)
    :precondition (and
      (hand-free)
      (in ?b table))
    :effect (and
      (pushed ?b right)))

  (:action push_block_left
    :parameters (?b - block)
    :precondition (and
      (hand-free)
      (in ?b table))
    :effect (and
      (pushed ?b left)))

  ; The door covers one compartment and leaves the other open.
  (:action move_slider_left
    :parameters ()
    :precondition (and
      (hand-free)
      (open slider_left))
    :effect (and
      (not (open slider_left))
      (open slider_right)))

  (:action move_slider_right
    :parameters ()
    :precondition (and
      (hand-free)
      (open slider_right))
    :effect (and
      (not (open slider_right))
      (open slider_left)))

  (:action open_drawer
    :parameters ()
    :precondition (and
      (hand-free)
      (not (open drawer)))
    :effect (and
      (open drawer)))

  (:action close_drawer
    :parameters ()
    :precondition (and
      (hand-free)
      (open drawer))
    :effect (and
      (not (open drawer))))

  (:action turn_on
    :parameters (?l - light)
    :precondition (and
      (hand-free)
      (not (lit ?l)))
    :effect (and
      (lit ?l)))

  (:action turn_off
    :parameters (?l - light)
    :precondition (and
      (hand-free)
      (lit ?l))
    :effect (and
      (not (lit ?l))))

  (:action lift_block_table
    :parameters (?b - block)
    :precondition (and
      (hand-free)
      (in ?b table))
    :effect (and
      (grasped ?b)
      (not (hand-free))
      (not (in ?b table))
      (lifted ?b table)))

  (:action lift_block_slider
    :parameters (?b - block ?c - compartment)
    :precondition (and
      (hand-free)
      (in ?b ?c)
      (open ?c))
    :effect (and
      (grasped ?b)
      (not (hand-free))
      (not (in ?b ?c))
      (lifted ?b ?c)))

  (:action lift_block_drawer
    :parameters (?b - block)
    :precondition (and
      (hand-free)
      (in ?b drawer)
      (open drawer))
    :effect (and
      (grasped ?b)
      (not (hand-free))
      (not (in ?b drawer))
      (lifted ?b drawer)))

  ; As published: the block is believed to be in the compartment behind the door, where it cannot be.
  (:action place_in_slider
    :parameters (?b - block ?c - compartment)
    :precondition (and
      (grasped ?b)
      (not (open ?c)))
    :effect (and
      (not (grasped ?b))
      (hand-free)
      (in ?b ?c)
      (placed ?b ?c)))

  (:action place_in_drawer
    :parameters (?b - block)
    :precondition (and
      (grasped ?b)
      (open drawer))
    :effect (and
      (not (grasped ?b))
      (hand-free)
      (in ?b drawer)
      (placed ?b drawer)))

  ; Which block is meant must be clear: the others are in compartments.
  (:action push_into_drawer
    :parameters (?b - block)
    :precondition (and
      (hand-free)
      (in ?b table)
      (open drawer)
      (forall (?o - block) (or (= ?o ?b) (exists (?c - compartment) (in ?o ?c)))))
    :effect (and
      (not (in ?b table))
      (in ?b drawer)
      (pushed-into ?b drawer)))

  ; Where to stack must be clear: there is one other block on the table.
  (:action stack_block
    :parameters (?b ?below - block)
    :precondition (and
      (grasped ?b)
      (in ?below table)
      (forall (?o - block) (or (= ?o ?below) (not (in ?o table)))))
    :effect (and
      (not (grasped ?b))
      (hand-free)
      (not (in ?below table))
      (on ?b ?below)))

  ; The block is put down again.
  (:action unstack_block
    :parameters (?b ?below - block)
    :precondition (and
      (hand-free)
      (on ?b ?below))
    :effect (and
      (not (on ?b ?below))
      (in ?b table)
      (in ?below table)
      (unstacked ?b ?below))))
