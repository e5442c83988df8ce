"""BDDL, the language of BEHAVIOR's activities: objects, an initial state, and a goal; no actions.

Read ``syntax`` (an activity and its conditions, and these as first-order formulas, which also defines what they mean
here) and ``reader`` (from text, with every error at its place).
"""

from chorewright.domains.behavior.reader import load_activity, parse_activity, write_activity, write_condition
from chorewright.domains.behavior.syntax import (
    Activity,
    ActivityLiteral,
    Condition,
    Connective,
    Quantified,
    lower_condition,
)

__all__ = [
    "Activity",
    "ActivityLiteral",
    "Condition",
    "Connective",
    "Quantified",
    "load_activity",
    "lower_condition",
    "parse_activity",
    "write_activity",
    "write_condition",
]
