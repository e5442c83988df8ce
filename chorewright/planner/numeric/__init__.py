"""Planning with numbers that change: ground actions over atoms and values, a relaxation, and greedy search.

``expressions`` are ground numeric expressions, exact or over intervals. ``task`` is what is searched, with its
conditions, ``grounding`` makes it of a domain and a problem. ``relaxation`` estimates the steps to the goal, or proves
that it is out of reach, and ``solving`` looks for plans.
"""

from chorewright.planner.numeric.solving import solve_numeric

__all__ = ["solve_numeric"]
