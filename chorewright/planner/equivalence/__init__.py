"""Whether two problems of a domain are the same: their starts up to renaming, their goals in all reachable states.

``state_space`` lists the reachable states where they are few, and finds the renamings that turn one structure into
another; ``goals`` writes goals out; ``comparing`` decides, and says so where it cannot.
"""

from chorewright.planner.equivalence.comparing import ComparisonEffort, Likeness, ProblemComparison, compare_problems

__all__ = ["ComparisonEffort", "Likeness", "ProblemComparison", "compare_problems"]
