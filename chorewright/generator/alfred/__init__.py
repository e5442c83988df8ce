"""ALFRED's benchmark: tuples of task, parameters and room, planned, replayed and described.

``benchmark`` is the entry, ``demonstration`` makes one in a room and writes it in ALFRED's words, ``recorded`` and
``saying`` put it into sentences. ``games`` plays episodes as text games, ``drawing`` makes games on the fly. The
benchmark's figures are in ``data/figures.json``.
"""
