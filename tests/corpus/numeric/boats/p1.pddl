(define (problem boats-1) (:domain boats)
  (:objects b0 - boat p0 - person)
  (:init (= (x b0) 0) (= (y b0) 0) (= (depth p0) 12))
  (:goal (and (saved p0))))
