"""Houses of our own, drawn from a seed: no simulator, and no house of anybody else's.

In the order of the work: ``plan`` divides a boundary of squares between rooms, ``outline`` walks round each, ``shell``
builds walls, doors and windows, ``furnishing`` places ``pieces`` by ``rules`` on the ``ground``, ``fittings`` builds
sinks, stoves, drawers and cabinets into counters, ``items`` lays small things. ``drawing`` does all this, and
``check`` says whether a house is sound. The rules are data: ``problems/data/houses.json``. Sizes of assets and
statistics of small things are facts from procthor and iTHOR's rooms; the layouts are ours.
"""
