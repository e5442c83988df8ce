"""Finding an engine by its name: one that we ship, one of the user's own, or one of unified-planning."""

from __future__ import annotations

import importlib
from typing import cast

from chorewright.files.own_code import make_own
from chorewright.planner.plan import Planner

ENGINES = {
    "chorewright": "chorewright.planner.planning:LadderPlanner",
    "pyperplan": "chorewright.planner.engines.pyperplan:Pyperplan",
    "fast-downward": "chorewright.planner.engines.fast_downward:FastDownward",
}
"""What makes each engine that we ship; it is imported when it is asked for."""


def find_engine(name: str) -> Planner:
    """Return the planner of a name.

    Args:
        name: One of ``ENGINES``, ``module:attribute`` (a class, or a function without arguments, that makes a
            ``Planner``), or an engine of unified-planning.

    Raises:
        UsageError: Nobody knows the name, or what it names makes no planner.
        MissingExtra: The planner is not installed.
    """
    if name in ENGINES:
        module, _, attribute = ENGINES[name].partition(":")
        return cast("Planner", getattr(importlib.import_module(module), attribute)())
    if ":" in name:
        return cast("Planner", make_own(name, "engine", ("solve",), f"engines: {', '.join(ENGINES)}"))
    from chorewright.planner.engines.unified_planning import UnifiedPlanner

    return UnifiedPlanner(name)


__all__ = ["ENGINES", "find_engine"]
