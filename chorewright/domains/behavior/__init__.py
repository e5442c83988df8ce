"""BDDL, the language of BEHAVIOR's activities: objects, an initial state, and a goal; no actions.

Read ``syntax`` (an activity and its conditions), ``reader`` (from text, with every error at its place), ``writer``
(its inverse), ``names`` (BDDL's names as PDDL's) and ``lowering`` (conditions as first-order formulas, which is also
what defines their meaning here).
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
