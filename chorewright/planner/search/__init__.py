"""Search: plans for a ground task, by compiled loops over packed states.

``kernels`` has successor states and the relaxation heuristics (FF among them); ``heuristics`` the others.
``search`` prepares a task and runs ``search_kernels`` (eager), ``lazy_kernels``, ``hill_kernels`` and
``width_kernels``; ``portfolio`` lets them take turns; ``improvement``, ``restarts`` and ``anytime`` make plans
cheaper; ``narrowing`` leaves operators out.
"""
