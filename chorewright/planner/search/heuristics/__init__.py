"""Heuristics: how far a state is from the goal, and landmarks on the way.

``delete_relaxation`` makes the task without deletions, ``scratch`` holds what an evaluation needs. ``add_and_max`` is
h-add and h-max; ``relaxed_plan`` is the FF heuristic, which starts from h-add. ``landmarks``, ``landmark_orders`` and
``disjunctive_landmarks`` guide satisficing searches, ``landmark_cut`` is the admissible bound, ``invariants`` finds
facts that exclude each other.
"""
