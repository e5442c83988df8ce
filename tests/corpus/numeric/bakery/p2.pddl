(define (problem bakery-2) (:domain bakery)
  (:objects d0 d1 - dough)
  (:init (oven-free) (= (flour) 300) (= (heat) 20) (= (loaves) 0) (= (grams d0) 0) (= (grams d1) 0))
  (:goal (and (baked d0) (baked d1) (>= (loaves) 2))))
