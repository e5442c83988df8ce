"""A real build of AI2-THOR behind the simulator protocol, watched from a process of its own.

``build`` finds it, ``process`` holds its client, ``simulator`` speaks the protocol, ``names`` matches objects.
"""
