(define (problem bakery-1) (:domain bakery)
  (:objects d0 - dough)
  (:init (oven-free) (= (flour) 400) (= (heat) 20) (= (loaves) 0) (= (grams d0) 0))
  (:goal (and (baked d0))))
