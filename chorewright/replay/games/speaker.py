"""The protocol of what puts a game into words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

from chorewright.domains.pddl.syntax import Formula, GroundAtom
from chorewright.planner.plan import GroundAction


class Speaker(Protocol):
    """Says one problem in words. ``rsa.words`` has one for every domain; a world can have its own."""

    def name(self, thing: str) -> str:
        """Return what an object is called."""
        ...

    def action(self, action: GroundAction) -> str:
        """Return an action as an order without capital and full stop: ``stack a on b``."""
        ...

    def state(self, atoms: Iterable[GroundAtom]) -> str:
        """Return atoms that hold as sentences."""
        ...

    def change(self, added: Sequence[GroundAtom], removed: Sequence[GroundAtom]) -> str:
        """Return what a step changed as sentences; empty if there is nothing to tell."""
        ...

    def goal(self, goal: Formula) -> str:
        """Return a goal as sentences."""
        ...

    def failure(self, action: GroundAction, unmet: Sequence[str]) -> str:
        """Return why an action cannot be done.

        Args:
            action: The action.
            unmet: The parts of its precondition that do not hold, as PDDL.
        """
        ...


@runtime_checkable
class SaysInWays(Protocol):
    """A speaker that has several wordings of an action; players may use any."""

    def ways(self, action: GroundAction) -> Sequence[str]:
        """Return all wordings of an action."""
        ...
