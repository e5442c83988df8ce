"""Search: plans for a ground task, by compiled loops over packed states.

Read ``states`` (facts as bits, successor states), ``heuristics`` (FF is ``heuristics.relaxed_plan``), then ``search``,
which prepares a task and runs ``search_kernels`` (eager), ``lazy_kernels``, ``hill_kernels`` and ``width_kernels``.
``heaps`` is their queue. ``portfolio`` lets them take turns; ``improvement``, ``restarts`` and ``anytime`` make plans
cheaper; ``narrowing`` leaves operators out.
"""
