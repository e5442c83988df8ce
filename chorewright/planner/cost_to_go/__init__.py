"""Costs-to-go: how much a goal still costs from each of many states, proven optimal where possible.

``costs_to_go`` is the entry. ``piecewise`` finds plans, part of the goal after part; ``goal_branches``,
``unneeded_operators``, ``abstraction`` and ``pairs`` make small tasks; ``proof_stages``, ``proof_tasks`` and
``proof_kernels`` prove bounds on them, and ``proofs`` puts it all together.
"""
