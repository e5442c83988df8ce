(define (domain c)
  (:requirements :typing)
  (:types t60 - t59 t59 - t58 t58 - t57 t57 - t56 t56 - t55 t55 - t54 t54 - t53 t53 - t52 t52 - t51 t51 - t50 t50 -
      t49 t49 - t48 t48 - t47 t47 - t46 t46 - t45 t45 - t44 t44 - t43 t43 - t42 t42 - t41 t41 - t40 t40 - t39 t39 -
      t38 t38 - t37 t37 - t36 t36 - t35 t35 - t34 t34 - t33 t33 - t32 t32 - t31 t31 - t30 t30 - t29 t29 - t28 t28 -
      t27 t27 - t26 t26 - t25 t25 - t24 t24 - t23 t23 - t22 t22 - t21 t21 - t20 t20 - t19 t19 - t18 t18 - t17 t17 -
      t16 t16 - t15 t15 - t14 t14 - t13 t13 - t12 t12 - t11 t11 - t10 t10 - t9 t9 - t8 t8 - t7 t7 - t6 t6 - t5 t5 -
      t4 t4 - t3 t3 - t2 t2 - t1 t1 - t0 t0)
  (:predicates (p ?x - t0) (q ?x - t30))
  (:action m
    :parameters (?x - t30)
    :precondition (p ?x)
    :effect (q ?x)))
;; problem
(define (problem c1) (:domain c)
  (:objects a - t60 b - t29)
  (:init (p a) (p b))
  (:goal (q a)))
; cost 1
