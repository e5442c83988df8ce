"""How a problem's file is written."""

from __future__ import annotations


def problem_text(domain: str, objects: str, init: list[str], goal: list[str], metric: bool = False) -> str:
    """A problem file.

    Args:
        domain: The domain's name.
        objects: The declarations of the objects.
        init: The atoms of the initial state.
        goal: What the goal joins.
        metric: Whether actions have costs.
    """
    minimize = "\n (:metric minimize (total-cost))" if metric else ""
    zero = ["(= (total-cost) 0)"] if metric else []
    facts, goals = "\n  ".join((*init, *zero)), "\n  ".join(goal)
    return (
        f"(define (problem {domain}-problem) (:domain {domain})\n (:objects {objects})\n"
        f" (:init {facts})\n (:goal (and {goals})){minimize})\n"
    )
