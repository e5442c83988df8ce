"""ALFRED's benchmark: tuples of task, parameters and room, planned, replayed and described.

``benchmark`` is the entry; ``records`` writes a demonstration in
ALFRED's words. The benchmark's figures are in ``data/figures.json``.
"""
