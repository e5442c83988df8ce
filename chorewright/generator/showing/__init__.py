"""Datasets as people look at them: texts in the terminal, pages, galleries, pictures and films.

``moments`` runs episodes again, as each family says; ``frames``, ``films``, ``pages`` and ``gallery`` draw what is seen
then. ``view`` tells of datasets and episodes in texts, ``images`` encodes pictures, ``data`` has the pages' templates.
"""
