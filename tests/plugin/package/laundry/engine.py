"""An engine: chorewright's own planner with another configuration."""

from __future__ import annotations

from chorewright.planner.plan import Planner
from chorewright.planner.planning import LadderPlanner
from chorewright.planner.search.configuration import Configuration


def thrifty() -> Planner:
    """Return a planner whose plans are as short as can be."""
    return LadderPlanner(Configuration.usual("astar", "max"))
