"""Heuristics: how far a state is from the goal, and landmarks on the way.

``delete_relaxation`` makes the task without deletions, and what an evaluation needs. ``add_and_max`` is h-add and
h-max, and the FF heuristic, which starts from h-add. ``landmarks`` and ``disjunctive_landmarks`` (with reasonable
orders) guide satisficing searches, ``landmark_cut`` is the admissible bound, ``invariants`` finds facts that exclude
each other.
"""
