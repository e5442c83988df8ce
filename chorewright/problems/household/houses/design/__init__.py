"""Houses of our own, drawn from a seed: no simulator, and no house of anybody else's.

In the order of the work: ``plan`` divides a boundary of squares between rooms, ``shell`` walks round each and builds
walls, doors and windows, ``furnishing`` places ``pieces`` by ``rules`` on the ``ground``, with sinks, stoves, drawers
and cabinets in counters, ``items`` lays small things. ``problems.household.houses.source`` does all this. The rules are
data: ``problems/data/houses.json``. Sizes of assets and statistics of small things are facts from procthor and iTHOR's
rooms; the layouts are ours.
"""
