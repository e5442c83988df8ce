(define (problem boats-3) (:domain boats)
  (:objects b0 b1 - boat p0 p1 p2 - person)
  (:init (= (x b0) 4) (= (y b0) 0) (= (x b1) -7) (= (y b1) 2) (= (depth p0) 30) (= (depth p1) 70) (= (depth p2) 12))
  (:goal (and (saved p0) (saved p1) (saved p2))))
