(define (domain d)
  (:requirements :strips :durative-actions)
  (:predicates (p))
  (:durative-action a
    :parameters ()
    :duration (= ?duration 3)
    :condition (at start (p))
    :effect (at end (p))))
; expect 2:26 durative actions (:durative-actions) are not supported !
; expect 4:3 durative actions are not supported !
