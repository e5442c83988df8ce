"""HandMeThat's benchmark: a human's goal, a request that must be understood, and a robot's help.

``benchmark`` is the entry. ``assignment`` says what each episode shows, ``trajectory`` and ``order`` make the human's
steps and what is said. ``stored_task`` reads and writes episodes, ``evaluation`` lets agents play, ``view`` shows.
"""
