"""The household world, and what ALFRED's and TEACh's benchmarks share in it.

``world`` compiles a task in a room; ``rooms`` and ``possibilities`` say which rooms suit, ``spawning`` how things
are scattered for a goal. ``demonstration`` plans and replays one attempt while ``sight`` looks on. ``moments``
runs a stored episode again and draws it, ``real_replaying`` runs it on a real build of AI2-THOR, and ``problems`` makes
its planning problem again.
"""
