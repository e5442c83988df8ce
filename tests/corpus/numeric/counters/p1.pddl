(define (problem counters-1) (:domain counters)
  (:objects c0 c1 c2 c3 - counter)
  (:init (= (limit) 10) (= (value c0) 0) (= (value c1) 0) (= (value c2) 0) (= (value c3) 0))
  (:goal (and (<= (+ (value c0) 1) (value c1)) (<= (+ (value c1) 1) (value c2)) (<= (+ (value c2) 1) (value c3)))))
