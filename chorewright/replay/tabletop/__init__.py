"""CALVIN's table as a world: what is seen of it, which tasks are done, and the physics behind it.

``snapshot`` is what a detector must know of one moment, ``detector`` tells which of the 34 tasks have been
done between two; both need no simulator.
"""
