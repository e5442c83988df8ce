(define (problem p)
  (:domain d))
; expect 1:9 '(domain name)' is expected here, not '(problem p)' | this is a problem file
