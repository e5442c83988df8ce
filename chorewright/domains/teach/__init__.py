"""TEACh's task definition language: tasks as states of objects and what they lie in.

``definitions.load_definitions`` reads a folder of definitions, ``Definitions.task`` fills in parameters,
``progress.check`` tells how far a task is done in a simulator's state, ``compiler.compile_goal`` makes a first-order
goal over the household domain.
"""
