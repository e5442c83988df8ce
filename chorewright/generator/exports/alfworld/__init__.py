"""Episodes of ALFRED's benchmark as ALFWorld's text games: game files, trajectories and PDDL in its folders.

``exporter`` writes them; what a game is and says is in ``replay.text``.
"""
