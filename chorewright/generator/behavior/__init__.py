"""BEHAVIOR's activities as a benchmark: planned, carried out in the symbolic world, said in words.

Read ``world`` (activities as scenes, one activity from scene to words, and how much of its goal is met as the BEHAVIOR
challenge counts it), ``benchmark`` (which activities, how episodes are written down, and activities as
tasks that verbs list and compile) and ``pictures``.
"""
