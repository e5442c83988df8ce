"""Production: benchmarks make episodes, and workers make shards of them that survive the death of any worker.

``benchmark`` and ``worlds`` are the protocols of plug-ins, ``attempts`` the loops around one attempt, ``sampling`` and
``tasks`` what is drawn. ``line`` is the entry (``run``), ``job`` is what each worker does, ``supervisor`` starts
workers and replaces them, ``pool`` maps other work, ``verify`` checks what was made.
"""
