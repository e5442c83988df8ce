"""BEHAVIOR's activities as a benchmark: planned, carried out in the symbolic world, said in words.

Read ``world`` (activities as scenes), ``attempt`` (one activity from scene to words), ``benchmark`` (which activities,
and how episodes are written down), ``tasks`` (activities as tasks that verbs list and compile), ``score`` (how much
of a goal is met, as the BEHAVIOR challenge counts it) and ``pictures``.
"""
