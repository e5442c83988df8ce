"""A text game of a planning problem as a value, its commands in words, and the games of problem files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Protocol, runtime_checkable

from chorewright.domains.arithmetic import constant_values
from chorewright.domains.facts import VALUE
from chorewright.domains.pddl.parser import load_domain, load_problem
from chorewright.domains.pddl.syntax import Domain, Formula, GroundAtom, Problem
from chorewright.domains.phrases import Wordings
from chorewright.errors import UsageError
from chorewright.files.lazily import LazySequence
from chorewright.planner.plan import GroundAction
from chorewright.replay.games.running import OperatorTable, RunningProblem, changing_predicates
from chorewright.rsa.words.files import SUFFIX, load_wordings
from chorewright.rsa.words.verbaliser import Verbaliser

# Commands of a planning problem: the words of each operator, and the operators that a text may mean.
#
# A speaker may have several wordings of an action: all are understood. An action can also be given in PDDL, as
# ``(stack a b)``. Of several operators that are worded alike and can be run, the words mean the first; the others are
# offered in PDDL.


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


def game_of(domain: Domain, problem: Problem, wordings: Wordings | None = None, name: str = "") -> PddlGame:
    """Return the game of a problem, said by the verbaliser of any domain."""
    return PddlGame(domain, problem, Verbaliser.of(domain, problem.objects, wordings), name or problem.name)


def wordings_beside(domain: Domain, path: Path, wordings: Path | None = None) -> Wordings | None:
    """Return a domain's wordings: those of a file, else of the ``.say`` file beside the domain's; None without one.

    Raises:
        UsageError: The given file cannot be read.
        InputErrors: It has errors.
    """
    found = wordings or path.with_suffix(SUFFIX)
    return load_wordings(found, domain) if wordings is not None or found.is_file() else None


class ProblemGames(LazySequence[str, PddlGame]):
    """The games of problem files of one domain; each is read when it is first asked for, and kept.

    Attributes:
        domain: The domain.
        paths: The problems' paths.
    """

    def __init__(self, domain: str | Path, problems: str | Path | Iterable[str | Path], wordings: Path | None = None):
        """Find the problems.

        Args:
            domain: The domain's file.
            problems: A file, a folder, or several of them; of a folder all ``.pddl`` files but the domain's.
            wordings: A ``.say`` file; by default the one beside the domain's.

        Raises:
            UsageError: A file is not there, or there is no problem.
            InputErrors: The domain or the wordings have errors.
        """
        path = Path(domain)
        self.domain = load_domain(path)
        self._wordings = wordings_beside(self.domain, path, wordings)
        several = (problems,) if isinstance(problems, str | Path) else tuple(problems)
        self.paths = [str(each) for one in several for each in _problem_files(Path(one), path)]
        if not self.paths:
            raise UsageError("there is no problem to play", hint=f"no .pddl files in {', '.join(map(str, several))}")
        super().__init__(self.paths, self._read)

    def _read(self, path: str) -> PddlGame:
        return game_of(self.domain, load_problem(path, self.domain), self._wordings, path)


def _problem_files(path: Path, domain: Path) -> list[Path]:
    if path.is_dir():
        return sorted(each for each in path.glob("*.pddl") if "domain" not in each.name and each != domain)
    return [path]
