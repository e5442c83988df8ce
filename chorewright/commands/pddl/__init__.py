"""Verbs for any domain of PDDL.

Read ``playing``: the verb that lets a person play a problem in the terminal. What plays is in ``replay.games``.
"""
