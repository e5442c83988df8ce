"""Heuristics: the delete relaxation as arrays, landmarks with their orders, and landmark cuts.

``delete_relaxation`` first; ``landmarks``, ``landmark_orders`` and ``disjunctive_landmarks`` guide satisficing
searches, ``landmark_cut`` is the admissible bound, ``invariants`` finds facts that exclude each other.
"""
