"""Datasets as people look at them: texts in the terminal, pages, galleries, pictures and films.

``moments`` runs episodes again, as each family says, and encodes pictures; ``frames``, ``films`` and ``pages`` draw
what is seen then. ``view`` tells of datasets and episodes in texts, ``data`` has the pages' templates.
"""
