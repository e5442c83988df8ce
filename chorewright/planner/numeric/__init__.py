"""Planning with numbers that change: ground actions over atoms and values, a relaxation, and greedy search.

``expressions`` are ground numeric expressions, exact or over intervals. ``task`` is what is searched, ``grounding``
makes it of a domain and a problem, with the conditions of ``conditions``. ``relaxation`` estimates the steps to the
goal, ``intervals`` proves that it is out of reach, ``search`` looks for plans, and ``solving`` puts them together.
"""

from chorewright.planner.numeric.solving import solve_numeric

__all__ = ["solve_numeric"]
