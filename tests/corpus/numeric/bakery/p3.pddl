(define (problem bakery-3) (:domain bakery)
  (:objects d0 d1 d2 - dough)
  (:init (oven-free) (= (flour) 150) (= (heat) 35) (= (loaves) 0) (= (grams d0) 0) (= (grams d1) 0) (= (grams d2) 0))
  (:goal (and (>= (loaves) 4) (baked d2) (< (heat) 60))))
