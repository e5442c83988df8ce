"""CALVIN's verbs.

``chains`` draws, counts, checks and plans chains of tasks, ``evaluation`` is ``evaluate calvin``; ``verification``
is what ``verify`` says of CALVIN's layout.
"""
