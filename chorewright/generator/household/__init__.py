"""What ALFRED's and TEACh's benchmarks share: demonstrations in the rooms of the THOR world.

``possibilities`` judges what may succeed in which room, ``demonstration`` plans and replays one attempt,
``sight`` looks on. ``replaying`` runs a stored episode again, ``written_problem`` gives its PDDL.
"""
