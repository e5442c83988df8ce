"""CALVIN's benchmark: chains of tasks at the table, done by a scripted expert in physics.

``benchmark`` is the entry. ``options`` are its flags, ``goals`` plans chains, ``trial`` runs one, ``records`` keeps its
frames. ``export``, ``pickles`` and ``layout`` serve CALVIN's files, ``evaluation`` its two protocols; ``moments`` runs
stored frames again.
"""
