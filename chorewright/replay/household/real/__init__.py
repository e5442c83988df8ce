"""A real build of AI2-THOR behind the simulator protocol, watched from a process of its own.

``process`` finds it and holds its client, ``simulator`` speaks the protocol and matches objects.
"""
