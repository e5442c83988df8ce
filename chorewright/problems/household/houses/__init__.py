"""Whole houses in ProcTHOR's format: rooms, walls with doors and windows in them, and things, as AI2-THOR builds them.

Read ``house`` first: a house as a value. ``reading`` makes it of a file of schema 0.0.1 or 1.0.0 and names the place of
every mistake, with ``reading_walls`` for walls, doors and windows, and writes schema 1.0.0. ``assets`` knows what the
assets are that a house names: their kinds, their boxes open and shut and as they are turned, what can be done with
them, and their drawers, shelves and basins. ``standing`` is where one can stand, and has the doors as objects.
``scenes`` makes a scene of a house, in which tasks are planned, and ``building`` is what the scene keeps of the house:
its rooms, and the walls that stop those who walk and look.

``source`` draws houses of our own from a seed, with what is in ``design``, and says whether they are sound.
"""
