"""The verbs that one family has and no other: playing, saying, checking and starting what is its own.

``domains`` has those of a user's PDDL domains. Entry points name them; what all families share lies one folder up.
"""
