"""A text game of a planning problem as a value: the problem, its operators, and who puts it into words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from chorewright.domains.arithmetic import constant_values
from chorewright.domains.facts import VALUE
from chorewright.domains.pddl.syntax import Domain, GroundAtom, Problem
from chorewright.replay.games.commands import Commands
from chorewright.replay.games.operators import OperatorTable, changing_predicates
from chorewright.replay.games.speaker import Speaker


@dataclass(frozen=True, eq=False)
class PddlGame:
    """A text game.

    Attributes:
        domain: The domain.
        problem: The problem.
        speaker: What puts it into words.
        name: What the game is called: a file's path, or an episode's name.
        told: Which atoms players are told of; by default those of all predicates that are not derived.
    """

    domain: Domain
    problem: Problem
    speaker: Speaker
    name: str = ""
    told: Callable[[GroundAtom], bool] | None = None

    @cached_property
    def table(self) -> OperatorTable:
        """The problem's operators, numbered once for all plays."""
        return OperatorTable.of(self.domain, self.problem)

    @cached_property
    def commands(self) -> Commands:
        """The words of the operators."""
        return Commands(self.table, self.speaker)

    @cached_property
    def changing(self) -> frozenset[str]:
        """The predicates that actions change, without derived ones; values of functions are among them."""
        return (changing_predicates(self.domain) - self.derived) | {VALUE}

    @cached_property
    def constants(self) -> tuple[GroundAtom, ...]:
        """The values of functions that never change, and by which actions are possible or not."""
        return constant_values(self.domain, self.problem)

    @cached_property
    def derived(self) -> frozenset[str]:
        """The derived predicates."""
        return frozenset(each.head.name for each in self.domain.axioms)

    def tells(self, atom: GroundAtom) -> bool:
        """Return whether players are told of an atom."""
        return atom[0] not in self.derived if self.told is None else self.told(atom)
