"""Minari: datasets of offline reinforcement learning, one for each split.

``spaces`` writes Gymnasium's spaces as Minari does, ``exporter`` the files; the package minari is not needed.
"""
