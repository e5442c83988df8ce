(define (problem boats-2) (:domain boats)
  (:objects b0 - boat p0 p1 - person)
  (:init (= (x b0) 0) (= (y b0) 0) (= (depth p0) 20) (= (depth p1) 50))
  (:goal (and (saved p0) (saved p1))))
