(define (problem counters-3) (:domain counters)
  (:objects c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 c10 c11 - counter)
  (:init (= (limit) 30) (= (value c0) 9) (= (value c1) 3) (= (value c2) 7) (= (value c3) 1) (= (value c4) 8) (= (value c5) 2) (= (value c6) 6) (= (value c7) 4) (= (value c8) 5) (= (value c9) 0) (= (value c10) 9) (= (value c11) 1))
  (:goal (and (<= (+ (value c0) 1) (value c1)) (<= (+ (value c1) 1) (value c2)) (<= (+ (value c2) 1) (value c3)) (<= (+ (value c3) 1) (value c4)) (<= (+ (value c4) 1) (value c5)) (<= (+ (value c5) 1) (value c6)) (<= (+ (value c6) 1) (value c7)) (<= (+ (value c7) 1) (value c8)) (<= (+ (value c8) 1) (value c9)) (<= (+ (value c9) 1) (value c10)) (<= (+ (value c10) 1) (value c11)))))
