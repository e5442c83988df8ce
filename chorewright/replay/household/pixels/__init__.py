"""Pixels of the THOR world: colours, depth and instances of any view of a room, drawn in software."""
