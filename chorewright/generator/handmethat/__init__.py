"""HandMeThat's benchmark: a human's goal, a request that must be understood, and a robot's help.

``benchmark`` is the entry. ``assignment`` says what each episode shows, ``trajectory`` and ``order`` make the
human's steps, ``request`` what is said. ``tasks``, ``evaluation`` and ``log`` let agents play; ``view`` shows.
"""
