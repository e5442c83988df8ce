"""ObjectNav's benchmark: find a thing of a kind in a room or a house, from a start where it is not visible.

``benchmark`` is the entry, ``options`` are its figures and flags, ``splits`` says which scenes are held back.
It reads stored episodes as what agents play and writes them; ``evaluation`` lets agents play.
"""
