"""Production: benchmarks make episodes, and workers make shards of them that survive the death of any worker.

``benchmark`` has the base class of benchmarks and the loop around their attempts, ``worlds`` that of worlds, and tasks.
``attempts`` says what an attempt is and what its author is told, ``solving`` runs one that plans in PDDL, ``sampling``
says what is drawn. ``line.run`` is the entry, here or over a cluster; ``agenda`` has what each worker does, ``losses``
decides what follows when a worker dies, ``trying`` runs one task's attempts, ``verify`` checks what was made.
"""
