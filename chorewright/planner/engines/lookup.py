"""Finding an engine by its name: of the group ``chorewright.engines``, the user's own, or unified-planning's."""

from __future__ import annotations

from chorewright.files.plugins import Registry
from chorewright.planner.plan import Planner

ENGINES: Registry[Planner] = Registry("chorewright.engines", "engine", ("solve",))
"""The engines of the package and of other installed packages."""


def find_engine(name: str) -> Planner:
    """Return the planner of a name.

    Args:
        name: One of ``ENGINES``, ``module:attribute`` (a class, or a function without arguments, that makes a
            ``Planner``), or an engine of unified-planning.

    Raises:
        UsageError: Nobody knows the name, or what it names makes no planner.
        MissingExtra: The planner is not installed.
    """
    if ":" in name or name in ENGINES.names():
        return ENGINES.find(name)
    from chorewright.planner.engines.unified_planning import UnifiedPlanner

    return UnifiedPlanner(name, ENGINES.names())


__all__ = ["ENGINES", "find_engine"]
