"""A text game of a planning problem as a value, and the games of problem files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from chorewright.domains.arithmetic import constant_values
from chorewright.domains.facts import VALUE
from chorewright.domains.pddl.parser import load_domain, load_problem
from chorewright.domains.pddl.syntax import Domain, GroundAtom, Problem
from chorewright.domains.phrases import Wordings
from chorewright.errors import UsageError
from chorewright.files.lazily import LazySequence
from chorewright.replay.games.commands import Commands, Speaker
from chorewright.replay.games.operators import OperatorTable, changing_predicates
from chorewright.rsa.words.files import SUFFIX, load_wordings
from chorewright.rsa.words.verbaliser import Verbaliser


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
