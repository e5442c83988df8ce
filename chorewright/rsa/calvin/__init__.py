"""Instructions for CALVIN's tasks: patterns for families of tasks, filled in and kept apart.

``instructions`` makes the sentences of each task for training and validation, and reads a user's own annotations.
"""
