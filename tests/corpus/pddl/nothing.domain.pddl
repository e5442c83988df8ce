; nothing but a comment
; expect 1:1 nothing is here: a domain is expected
