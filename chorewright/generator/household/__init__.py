"""The household world, and what ALFRED's and TEACh's benchmarks share in it.

``scene_names`` and ``possibilities`` say which rooms there are and which suit, ``spawning`` how things are scattered
for a goal; it has the world and stored episodes' problems. ``demonstration`` plans and replays one attempt while
``outlook`` looks on. ``moments`` runs a stored episode again, also on a real build of AI2-THOR, and draws it.
"""
