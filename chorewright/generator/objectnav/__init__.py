"""ObjectNav's benchmark: find a thing of a kind in a room or a house, from a start where it is not visible.

``benchmark`` is the entry, and reads and writes stored episodes; ``options`` are its figures and flags,
``evaluation`` lets agents play.
"""
