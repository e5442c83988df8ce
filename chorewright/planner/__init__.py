"""How to get there: from a domain and a problem in PDDL to a validated plan, or why there is none.

A plan is found in these steps. ``planning.solve`` is the front door. It climbs a ladder of tasks, from the objects that
the goal seems to need up to the full one. For each rung, ``grounding`` finds what can be reached and makes a ``Task``
of integers: facts, operators, axioms. ``search`` prepares the task for compiled loops over packed states and runs them:
lazy greedy search led by the FF heuristic (``search.heuristics.add_and_max``) and by landmarks, by turns with others.
It then makes the plan cheaper. ``validation``, which shares no code with the search, runs the plan on the problem.

Read ``plan`` (the answers), ``planning``, then ``grounding``, then ``search``, each in the order that its first page
gives. Beside the way: ``cost_to_go`` (what the goal costs from many states, with proofs), ``engines`` (other planners,
and ours behind others' interfaces), ``plan_files``, ``progression`` (what each step changes), ``stages`` (long goals).

The planner takes any PDDL domain; it knows no household word.
"""
