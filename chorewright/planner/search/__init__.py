"""Search: plans for a ground task, by compiled loops over packed states.

Read ``states`` (facts as bits, successor states, the queue), ``heuristics`` (FF is in ``heuristics.add_and_max``),
then ``search``, which prepares a task and runs ``search_kernels`` (eager), ``lazy_kernels`` and ``width_kernels``.
``configuration`` says which and lets them take turns; ``improvement`` and ``anytime`` make plans cheaper;
``narrowing`` leaves operators out.
"""
