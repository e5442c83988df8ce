"""Production: benchmarks make episodes, and workers make shards of them that survive the death of any worker.

``benchmark`` has the base class of benchmarks and the loop around their attempts, ``worlds`` the protocols of worlds.
``attempts`` says what an attempt is and what its author is told, ``solving`` runs one that plans in PDDL, ``sampling``
and ``tasks`` say what is drawn. ``line`` is the entry (``run``), here or over a cluster; ``agenda`` has what each
worker does, ``losses`` decides what follows when a worker dies, ``trying`` runs one task's attempts, ``verify`` checks
what was made.
"""
