"""Planning with numbers that change: ground actions over atoms and values, relaxations, and compiled searches.

``expressions`` are ground numeric expressions, exact or over intervals. ``task`` is the exact ground task, which
``grounding`` makes of a domain and a problem; ``relaxation`` proves what is out of its reach. For search, ``moves`` and
``encoding`` write it as arrays, which ``kernels`` and ``search_kernels`` read. ``improvement`` finds first plans and
cheaper ones, ``solving`` answers.
"""

from chorewright.planner.numeric.solving import solve_numeric

__all__ = ["solve_numeric"]
