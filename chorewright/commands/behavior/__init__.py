"""Verbs for BEHAVIOR's activities.

Read ``playing``: the verb that lets a person carry out an activity in the terminal, as a text game.
"""
