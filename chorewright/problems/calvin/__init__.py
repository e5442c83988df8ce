"""CALVIN's tabletop: its four tables, the 34 tasks and their symbolic states, and the chains of tasks.

``scenes`` has the tables A to D, and the initial states in symbols and in numbers, ``tasks`` the
preconditions and effects of each task, ``chains`` the sequences of tasks that can be done one after the other,
and ``published`` those of CALVIN's evaluation.
"""

LENGTH = 5
"""The length of the chains in CALVIN's evaluation."""
