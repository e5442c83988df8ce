"""ALFRED's verbs.

``saying`` is ``say``: it words a plan file, a stored episode or a recorded demonstration.
"""
