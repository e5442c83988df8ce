"""Commands of a planning problem: the words of each operator, and the operators that a text may mean.

A speaker may have several wordings of an action: all are understood. An action can also be given in PDDL, as
``(stack a b)``. Of several operators that are worded alike and can be run, the words mean the first; the others are
offered in PDDL.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Protocol, runtime_checkable

from chorewright.domains.pddl.syntax import Formula, GroundAtom
from chorewright.planner.plan import GroundAction
from chorewright.replay.games.operators import OperatorTable
from chorewright.replay.games.running import RunningProblem

MOST_WORDED = 20_000
"""A schema with more conceivable operators than this is not searched for what a refused command may mean."""


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


class Commands:
    """The commands of one game; words are made when an operator is met, and kept."""

    def __init__(self, table: OperatorTable, speaker: Speaker) -> None:
        self._table, self._speaker = table, speaker
        self._texts: dict[int, str] = {}
        self._meanings: dict[str, list[int]] = {}
        self._all: dict[str, list[GroundAction]] | None = None

    def text(self, operator: int) -> str:
        """Return the words of an operator."""
        found = self._texts.get(operator)
        if found is None:
            found, *others = self._ways(self._table.operators[operator])
            self._texts[operator] = found
            for each in (found, *others):
                self._meanings.setdefault(fold(each), []).append(operator)
        return found

    def offers(self, running: RunningProblem) -> tuple[str, ...]:
        """Return a command for each operator that can be run now, each another one."""
        operators, texts = running.runnable(), self._texts
        found = [texts.get(each) or self.text(each) for each in operators]
        if len(set(found)) < len(found):
            taken: set[str] = set()
            for place, operator in enumerate(operators):
                if found[place] in taken:
                    found[place] = str(self._table.operators[operator])
                taken.add(found[place])
        return tuple(found)

    def command(self, action: GroundAction, running: RunningProblem) -> str:
        """Return a command that means an action, which can be run now."""
        number = self._table.number(action)
        text = self.text(number)
        return text if self.meant(text, running) == number else str(action)

    def meant(self, command: str, running: RunningProblem) -> int | None:
        """Return the operator that a command means and that can be run now; None if there is none."""
        found = self._runnable(command, running)
        if found is None:
            for each in running.runnable():
                self.text(each)
            found = self._runnable(command, running)
        if found is None and (action := parse_action(command)) is not None:
            number = self._table.numbers.get(action)
            found = number if number is not None and running.can_run(number) else None
        return found

    def _runnable(self, command: str, running: RunningProblem) -> int | None:
        """The first operator with these words that can be run now."""
        found = self._meanings.get(command) or self._meanings.get(fold(command)) or []
        able = [each for each in found if running.can_run(each)]
        return able[0] if len(able) == 1 else min(able, key=self._table.keys.__getitem__, default=None)

    def conceivable(self, command: str) -> tuple[GroundAction, ...]:
        """Return the actions that a command may mean, whether or not they can be run."""
        action = parse_action(command)
        if action is not None:
            return (action,)
        if self._all is None:
            self._all = {}
            universe = self._table.world.universe
            for schema in self._table.world.domain.actions:
                ranges = [universe.members(each.types) for each in schema.parameters]
                count = 1
                for each in ranges:
                    count *= len(each)
                for arguments in product(*ranges) if count <= MOST_WORDED else ():
                    each_action = GroundAction(schema.name, arguments)
                    for words in self._ways(each_action):
                        self._all.setdefault(fold(words), []).append(each_action)
        return tuple(self._all.get(fold(command), ()))

    def _ways(self, action: GroundAction) -> Sequence[str]:
        """Return the wordings of an action, the one that is offered first."""
        speaker, offered = self._speaker, self._speaker.action(action)
        others = speaker.ways(action) if isinstance(speaker, SaysInWays) else ()
        return tuple(dict.fromkeys((offered, *others)))


def fold(command: str) -> str:
    """Return a command in lower case with single blanks and without a full stop."""
    return " ".join(command.lower().split()).rstrip(" .!")


def parse_action(command: str) -> GroundAction | None:
    """Return the action that a text in PDDL means; None if it is no such text."""
    found = re.fullmatch(r"\(\s*([^\s()]+(?:\s+[^\s()]+)*)\s*\)", command.strip().lower())
    if found is None:
        return None
    name, *arguments = found[1].split()
    return GroundAction(name, tuple(arguments))
