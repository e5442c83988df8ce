"""CALVIN's benchmark: chains of tasks at the table, done by a scripted expert in physics.

``benchmark`` is the entry. ``settings`` reads the options, ``goals`` plans chains, ``trial`` runs one,
``records`` keeps its frames. ``language``, ``embeddings`` and ``layout`` serve CALVIN's files, ``evaluation``
its two protocols; ``moments`` runs stored frames again.
"""
