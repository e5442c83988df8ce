"""CALVIN's table as a world: observations, detection of tasks, physics, the expert and pictures.

``snapshot`` is the state at one moment, and tells which of the 34 tasks have been done between two, without a
simulator. ``world`` is the table in PyBullet, ``real`` CALVIN's own environment. ``expert`` does tasks by its skills
and those in ``block_skills`` and ``placing_skills``. ``pictures`` draws states.
"""
