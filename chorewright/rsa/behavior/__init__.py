"""BEHAVIOR's activities in English: what holds, what shall hold, and what the robot does.

Read ``names`` (what a thing is called among its likes), ``conditions`` (any condition of BDDL as a clause, and a goal
as an instruction) and ``steps`` (an action of a plan as an order). All wordings are drawn from a numpy generator.
"""
