"""BEHAVIOR's activities in English: what holds, what shall hold, and what the robot does.

Read ``names`` (what a thing is called among its likes, and an action as an order), ``conditions`` (any condition of
BDDL as a clause, a goal as an instruction, and what players of text games are told).
Wordings of instructions are drawn from a numpy generator.
"""
