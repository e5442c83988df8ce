(define (domain bakery)
  (:requirements :typing :numeric-fluents)
  (:types dough - object)
  (:predicates (kneaded ?d - dough) (baked ?d - dough) (oven-free) (inside ?d - dough))
  (:functions (grams ?d - dough) (flour) (heat) (loaves))
  (:action weigh
    :parameters (?d - dough)
    :precondition (and (>= (flour) 50) (not (kneaded ?d)))
    :effect (and (decrease (flour) 50) (increase (grams ?d) 50)))
  (:action knead
    :parameters (?d - dough)
    :precondition (and (not (kneaded ?d)) (> (grams ?d) 0))
    :effect (kneaded ?d))
  (:action rise
    :parameters (?d - dough)
    :precondition (and (kneaded ?d) (not (baked ?d)) (not (inside ?d)))
    :effect (scale-up (grams ?d) 2))
  (:action split
    :parameters (?d ?e - dough)
    :precondition (and (kneaded ?d) (not (= ?d ?e)) (not (baked ?d)) (not (inside ?d)) (= (grams ?e) 0)
      (not (kneaded ?e)))
    :effect (and (scale-down (grams ?d) 2) (assign (grams ?e) (/ (grams ?d) 2)) (kneaded ?e)))
  (:action warm
    :precondition (<= (heat) 220)
    :effect (increase (heat) 30))
  (:action cool
    :precondition (>= (heat) 30)
    :effect (decrease (heat) 10))
  (:action put-in
    :parameters (?d - dough)
    :precondition (and (oven-free) (kneaded ?d) (not (baked ?d)))
    :effect (and (not (oven-free)) (inside ?d)))
  (:action bake
    :parameters (?d - dough)
    :precondition (and (inside ?d) (>= (heat) 200) (<= (heat) 230) (>= (grams ?d) 300))
    :effect (and (not (inside ?d)) (oven-free) (baked ?d) (increase (loaves) (/ (grams ?d) 300)) (assign (heat) 90))))
