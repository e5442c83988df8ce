(define (problem counters-2) (:domain counters)
  (:objects c0 c1 c2 c3 c4 c5 c6 c7 - counter)
  (:init (= (limit) 16) (= (value c0) 5) (= (value c1) 5) (= (value c2) 5) (= (value c3) 5) (= (value c4) 5) (= (value c5) 5) (= (value c6) 5) (= (value c7) 5))
  (:goal (and (<= (+ (value c0) 1) (value c1)) (<= (+ (value c1) 1) (value c2)) (<= (+ (value c2) 1) (value c3)) (<= (+ (value c3) 1) (value c4)) (<= (+ (value c4) 1) (value c5)) (<= (+ (value c5) 1) (value c6)) (<= (+ (value c6) 1) (value c7)))))
