"""The verbs of the command line, one function each, grouped by what they work on.

Only signatures, help texts and printing live here; the work is done in the rooms below, imported when a
verb runs, so that ``chorewright --help`` is quick.
"""
