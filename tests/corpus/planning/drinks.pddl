; Two hands, shots, a shaker and drinks that are mixed of two others.
(define (domain drinks)
  (:requirements :strips :typing :action-costs)
  (:types
    hand amount drink vessel dispenser - object
    ingredient mixed - drink
    shot shaker - vessel)
  (:predicates (lies ?v - vessel) (holding ?h - hand ?v - vessel) (idle ?h - hand) (pours ?d - dispenser ?i - ingredient)
    (empty ?v - vessel) (contains ?v - vessel ?d - drink) (clean ?v - vessel) (used ?v - vessel ?d - drink)
    (amount-in ?s - shaker ?n - amount) (more ?n ?m - amount) (none ?s - shaker ?n - amount)
    (first ?m - mixed ?i - ingredient) (second ?m - mixed ?i - ingredient) (unshaken ?s - shaker)
    (shaken ?s - shaker))
  (:functions (total-cost) - number)
  (:action grasp
    :parameters (?h - hand ?v - vessel)
    :precondition (and (lies ?v) (idle ?h))
    :effect (and (not (lies ?v)) (not (idle ?h)) (holding ?h ?v) (increase (total-cost) 1)))
  (:action leave
    :parameters (?h - hand ?v - vessel)
    :precondition (holding ?h ?v)
    :effect (and (not (holding ?h ?v)) (idle ?h) (lies ?v) (increase (total-cost) 1)))
  (:action fill
    :parameters (?s - shot ?i - ingredient ?h ?other - hand ?d - dispenser)
    :precondition (and (holding ?h ?s) (idle ?other) (pours ?d ?i) (empty ?s) (clean ?s))
    :effect (and (not (empty ?s)) (contains ?s ?i) (not (clean ?s)) (used ?s ?i) (increase (total-cost) 10)))
  (:action refill
    :parameters (?s - shot ?i - ingredient ?h ?other - hand ?d - dispenser)
    :precondition (and (holding ?h ?s) (idle ?other) (pours ?d ?i) (empty ?s) (used ?s ?i))
    :effect (and (not (empty ?s)) (contains ?s ?i) (increase (total-cost) 10)))
  (:action drain
    :parameters (?h - hand ?s - shot ?d - drink)
    :precondition (and (holding ?h ?s) (contains ?s ?d))
    :effect (and (not (contains ?s ?d)) (empty ?s) (increase (total-cost) 1)))
  (:action wash
    :parameters (?s - shot ?d - drink ?h ?other - hand)
    :precondition (and (holding ?h ?s) (idle ?other) (empty ?s) (used ?s ?d))
    :effect (and (not (used ?s ?d)) (clean ?s) (increase (total-cost) 1)))
  (:action pour-in
    :parameters (?s - shot ?i - ingredient ?k - shaker ?h - hand ?n ?m - amount)
    :precondition (and (holding ?h ?s) (contains ?s ?i) (unshaken ?k) (amount-in ?k ?n) (more ?n ?m))
    :effect (and (not (contains ?s ?i)) (empty ?s) (contains ?k ?i) (not (empty ?k)) (amount-in ?k ?m)
      (not (amount-in ?k ?n)) (increase (total-cost) 1)))
  (:action shake
    :parameters (?m - mixed ?i ?j - ingredient ?k - shaker ?h ?other - hand)
    :precondition (and (holding ?h ?k) (idle ?other) (contains ?k ?i) (contains ?k ?j) (first ?m ?i) (second ?m ?j)
      (unshaken ?k))
    :effect (and (not (unshaken ?k)) (shaken ?k) (not (contains ?k ?i)) (not (contains ?k ?j)) (contains ?k ?m)
      (increase (total-cost) 1)))
  (:action serve
    :parameters (?m - mixed ?s - shot ?k - shaker ?h - hand ?n ?l - amount)
    :precondition (and (holding ?h ?k) (shaken ?k) (contains ?k ?m) (empty ?s) (clean ?s) (amount-in ?k ?n) (more ?l ?n))
    :effect (and (not (clean ?s)) (not (empty ?s)) (contains ?s ?m) (used ?s ?m) (amount-in ?k ?l)
      (not (amount-in ?k ?n)) (increase (total-cost) 1)))
  (:action rinse
    :parameters (?k - shaker ?m - mixed ?h ?other - hand ?n ?zero - amount)
    :precondition (and (holding ?h ?k) (idle ?other) (shaken ?k) (contains ?k ?m) (amount-in ?k ?n) (none ?k ?zero))
    :effect (and (not (contains ?k ?m)) (not (shaken ?k)) (unshaken ?k) (empty ?k) (not (amount-in ?k ?n))
      (amount-in ?k ?zero) (increase (total-cost) 1))))
