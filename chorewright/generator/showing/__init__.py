"""Datasets as people look at them: texts in the terminal, pages, galleries, pictures and films.

``view`` tells of datasets and episodes, ``pages`` and ``gallery`` write HTML from the templates in ``data``, ``images``
encodes pictures, ``frames`` and ``video`` record episodes that are run again.
"""
