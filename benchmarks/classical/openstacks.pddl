; One machine makes products; an order occupies a stack from its first product until it is shipped.
(define (domain openstacks)
  (:requirements :adl :action-costs)
  (:types order product count)
  (:predicates (asks ?o - order ?p - product) (idle ?o - order) (begun ?o - order) (sent ?o - order)
    (ready ?p - product) (free-stacks ?n - count) (next ?n ?m - count))
  (:functions (total-cost) - number)
  (:action open-stack
    :parameters (?n ?m - count)
    :precondition (and (free-stacks ?n) (next ?n ?m))
    :effect (and (not (free-stacks ?n)) (free-stacks ?m) (increase (total-cost) 1)))
  (:action begin
    :parameters (?o - order ?n ?m - count)
    :precondition (and (idle ?o) (free-stacks ?m) (next ?n ?m))
    :effect (and (not (idle ?o)) (begun ?o) (not (free-stacks ?m)) (free-stacks ?n)))
  (:action make
    :parameters (?p - product)
    :precondition (and (not (ready ?p)) (forall (?o - order) (imply (asks ?o ?p) (begun ?o))))
    :effect (ready ?p))
  (:action send
    :parameters (?o - order ?n ?m - count)
    :precondition (and (begun ?o) (free-stacks ?n) (next ?n ?m)
      (forall (?p - product) (imply (asks ?o ?p) (ready ?p))))
    :effect (and (not (begun ?o)) (sent ?o) (not (free-stacks ?n)) (free-stacks ?m))))
