"""Production: benchmarks make episodes, and workers make shards of them that survive the death of any worker.

``benchmark`` has the base class of benchmarks and the loop around their attempts, ``worlds`` the protocols of worlds.
``attempts`` says what an attempt is and what its author is told, ``solving`` runs one that plans in PDDL, ``sampling``
and ``tasks`` say what is drawn. ``line`` is the entry (``run``), ``agenda`` is what is left to do, ``worker`` and
``losses`` replace those that die, ``pool`` maps other work, ``trying`` runs one task's attempts, ``verify`` checks what
was made.
"""
