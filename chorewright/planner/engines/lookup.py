"""Finding an engine by its name: of the group ``chorewright.engines``, the user's own, or unified-planning's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from chorewright.domains.pddl.source import read_source
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import EngineError, ExitCode, InputError, InputErrors, UnsupportedError
from chorewright.files.plugins import Origin, Registry, plugin_code
from chorewright.planner.plan import UNLIMITED, Answer, Limits, OutOfLimits, Plan, Planner, Unsolvable

ENGINES: Registry[Planner] = Registry("chorewright.engines", "engine", ("solve",))
"""The engines of the package and of other installed packages."""


def find_engine(name: str, origin: Origin = Origin.FILE) -> Planner:
    """Return the planner of a name.

    Args:
        name: One of ``ENGINES``, an engine of unified-planning, or if a person typed it ``module:attribute`` (a class,
            or a function without arguments, that makes a ``Planner``).
        origin: Where the name came from.

    Raises:
        MissingPlugin: A file names one that is not installed.
        UsageError: Nobody knows the name, or what it names makes no planner.
        MissingExtra: The planner is not installed.
    """
    if ":" in name or name in ENGINES.names():
        found = ENGINES.find(name, origin)
        own = type(found).__module__.startswith("chorewright.")  # ours check their plans themselves
        return found if own else CheckedEngine(name, found)
    from chorewright.planner.engines.unified_planning import UnifiedPlanner

    return UnifiedPlanner(name, ENGINES.names())


def solve_unread(engine: Planner, files: Sequence[Path], error: InputError, limits: Limits) -> Answer:
    """Return what an engine answers that reads files which our reader refuses, such as PDDL+.

    Args:
        engine: The engine.
        files: The domain and the problem.
        error: Why they are refused.
        limits: What the engine may use.

    Raises:
        InputError: The same, where the engine takes no text, or a file is a pipe, which is read once.
        InputErrors: That and the engine's reason, where it does not take this text.
    """
    solve_written: Callable[..., Answer] | None = getattr(engine, "solve_written", None)
    if solve_written is None or error.exit_code != ExitCode.UNSUPPORTED or not all(map(Path.is_file, files)):
        raise error
    try:
        return solve_written(*(read_source(file).text for file in files), limits)
    except UnsupportedError as refused:
        raise InputErrors([*getattr(error, "errors", [error]), refused]) from None


@dataclass(frozen=True, slots=True)
class CheckedEngine:
    """A user's planner, whose plans are run by our validator.

    Attributes:
        name: The engine's name, for messages.
        planner: The user's planner.
    """

    name: str
    planner: Planner

    def solve(self, domain: Domain, problem: Problem, limits: Limits = UNLIMITED) -> Answer:
        """Return what the planner answers, with the cost that the validator counts.

        Raises:
            EngineError: Its plan is not valid, or it answers something else than a planner may.
            PluginError: It raises.
        """
        from chorewright.planner.engines.processes import check_plan

        with plugin_code(f"the engine {self.name!r}"):
            answer = self.planner.solve(domain, problem, limits)
        if isinstance(answer, Plan):
            found = check_plan(domain, problem, answer.steps, f"the engine {self.name!r}", answer.configuration)
            return replace(answer, cost=found.cost)
        if not isinstance(answer, Unsolvable | OutOfLimits):
            raise EngineError(f"the engine {self.name!r} answers {answer!r}, which is no plan")
        return answer
