"""Relevance: which objects a goal seems to need, so that most of the problem need not be grounded."""

from __future__ import annotations

from chorewright.domains.pddl.syntax import Domain, Problem


def relevant_objects(domain: Domain, problem: Problem, level: int) -> frozenset[str] | None:
    """Objects that plans for the goal are likely to touch, or None to keep all."""
    return None
