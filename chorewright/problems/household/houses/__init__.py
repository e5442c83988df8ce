"""Whole houses in ProcTHOR's format: rooms, walls with doors and windows in them, and things, as AI2-THOR builds them.

Read ``house`` first: a house as a value. ``reading`` makes it of a file of schema 0.0.1 or 1.0.0 and names the place
of every mistake, with ``reading_walls`` for walls, doors and windows and ``values`` for plain values. ``writing``
writes schema 1.0.0. ``assets`` knows what the assets are that a house names: their kinds, their boxes open and shut,
what can be done with them; ``parts`` what drawers, shelves and basins they have. ``build_assets`` makes both tables.
``boxes`` turns the boxes as the things are turned. ``walls`` are the segments that stop those who walk and look, and
``standing`` is where one can stand. ``scenes`` makes a scene of a house, in which tasks are planned, and ``building``
is what the scene keeps of the house. ``report`` says what a house has.

Houses of our own are drawn in ``design``; ``source`` has those of a seed.
"""
