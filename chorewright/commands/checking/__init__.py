"""Verbs that read a user's files and say what is wrong with them, for terminals, editors and continuous integration.

``validating`` checks plans, ``files`` PDDL and task files, ``formatting`` lays PDDL out. ``reports`` writes what was
found in the formats that other programs read.
"""
