(define (domain d)
  (:requirements :strips :durative-actions)
  (:predicates (p))
  (:functions (f))
  (:durative-action a
    :parameters ()
    :duration (= ?duration 3)
    :condition (at start (p))
    :effect (and (at end (p)) (increase (f) (* #t 2)))))
; expect 9:31 continuous effects are not supported: '(increase ...' !
