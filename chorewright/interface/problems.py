"""Planning problems in Python: load or compile one, plan it, check a plan."""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from chorewright.domains.library import user_library
from chorewright.domains.pddl.parser import load_task
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.domains.pddl.writer import pddl_files, write_formula
from chorewright.domains.templates.goal_templates import GoalTemplate
from chorewright.domains.vocabulary_files import kinds_beside
from chorewright.errors import NoPlan, UsageError, storing
from chorewright.files.english import say_count
from chorewright.files.plugins import Origin
from chorewright.files.records import check_types
from chorewright.files.text import write_atomically
from chorewright.generator.production.worlds import all_templates
from chorewright.generator.production.worlds import compile_task as compile_in_world
from chorewright.planner.durative_validation import validate_plan
from chorewright.planner.engines.lookup import find_engine
from chorewright.planner.plan import NAME, GroundAction, Limits, OutOfLimits, Plan, Planner, TimedStep, Unsolvable
from chorewright.planner.plan_files import PlanFile, parse_plan, read_plan
from chorewright.planner.validation import Verdict

PlanLike: TypeAlias = Plan | str | PathLike[str] | Iterable[GroundAction | str]
"""A plan, the path of a plan file, or actions: ``GroundAction`` or text such as ``(open fridge)``."""


@dataclass(frozen=True, slots=True)
class PlanningProblem:
    """A problem with its domain.

    Attributes:
        domain: What can be done.
        problem: Objects, initial state and goal.
        sentences: The goal in English, where it comes from a task.
        scene: The name of the scene, where there is one.
    """

    domain: Domain
    problem: Problem
    sentences: tuple[str, ...] = ()
    scene: str | None = None

    def write(self, folder: str | PathLike[str]) -> None:
        """Write ``domain.pddl`` and ``problem.pddl`` into a folder, in PDDL that other planners read.

        Raises:
            StorageError: They cannot be written.
        """
        target = Path(folder)
        with storing(target):
            target.mkdir(parents=True, exist_ok=True)
            for name, text in pddl_files(self.domain, self.problem).items():
                write_atomically(target / name, text.encode())

    def __repr__(self) -> str:
        counts = f"{say_count(len(self.problem.objects), 'object')}, {say_count(len(self.problem.init), 'fact')}"
        return f"PlanningProblem({self.problem.name!r} of {self.domain.name!r}: {counts})"

    def _repr_html_(self) -> str:
        said = "".join(f"<p>{html.escape(text)}</p>" for text in self.sentences[:1])
        goal = html.escape(write_formula(self.problem.goal))
        return f"<p><b>{html.escape(repr(self)[16:-1])}</b></p>{said}<pre>{goal}</pre>"


@check_types
def load_problem(domain: str | PathLike[str], problem: str | PathLike[str]) -> PlanningProblem:
    """Read a PDDL domain file and a problem file.

    Raises:
        InputErrors: All that is wrong with the files.
        UsageError: A file is not there.
    """
    return PlanningProblem(*load_task(Path(domain), Path(problem)))


@check_types
def compile_task(task: str, scene: str | None = None, seed: int = 0, **slots: str) -> PlanningProblem:
    """Make the planning problem of a task in a scene.

    Args:
        task: A task's name (see ``tasks``) or the path of a ``.task`` file.
        scene: A scene's name, e.g. ``FloorPlan10``, or the path of a scene file; by default one that suits.
        seed: Where things lie.
        slots: The kind for each slot, e.g. ``object="Mug"``.

    Raises:
        UsageError: There is no such task, kind or scene, or the scene does not suit.
    """
    given = [f"{slot}={kind}" for slot, kind in slots.items()]
    library = user_library(kinds_beside(task)) if kinds_beside(task) else None
    made = compile_in_world(task, given, scene, seed, library)
    return PlanningProblem(made.domain, made.problem, tuple(made.goal.sentences), made.scene)


@check_types
def tasks(collection: str | None = None) -> tuple[GoalTemplate, ...]:
    """Return the tasks that are known: shipped ones, a user's and those of installed packages.

    Args:
        collection: Only those of a collection, e.g. ``alfred``.
    """
    found = all_templates()
    chosen = tuple(each for each in found if collection in (None, each.full_name.partition("/")[0]))
    if not chosen:
        known = ", ".join(dict.fromkeys(each.full_name.partition("/")[0] for each in found))
        raise UsageError(f"there is no collection {collection!r}", hint=f"collections: {known}")
    return chosen


@check_types
def plan(
    problem: PlanningProblem,
    *,
    engine: str | Planner = NAME,
    search: str = "greedy",
    heuristic: str | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    evaluations: int | None = None,
) -> Plan:
    """Find a plan.

    Args:
        problem: The problem.
        engine: ``chorewright``, another engine's name, or a planner.
        search: How chorewright searches, e.g. ``astar`` for a plan that is proven optimal; as ``plan --search``.
        heuristic: As ``plan --heuristic``.
        time_limit: Seconds.
        memory_limit: Megabytes.
        evaluations: Heuristic evaluations: a limit that is the same on every machine.

    Raises:
        NoPlan: There is none, or a limit was met first.
    """
    limits = Limits(time_limit, memory_limit, evaluations)
    planner: Planner
    if engine == NAME:
        from chorewright.planner.planning import LadderPlanner
        from chorewright.planner.search.configuration import Configuration

        planner = LadderPlanner(Configuration.usual(search, heuristic))
    elif (search, heuristic) != ("greedy", None):
        raise UsageError(f"search and heuristic are those of the engine {NAME}")
    else:
        planner = find_engine(engine, Origin.PERSON) if isinstance(engine, str) else engine
    answer = planner.solve(problem.domain, problem.problem, limits)
    if isinstance(answer, Unsolvable):
        raise NoPlan(f"{problem.problem.name}: {answer.reason}")
    if isinstance(answer, OutOfLimits):
        raise NoPlan(f"{problem.problem.name}: the {answer.limit.value} limit was met", limit=answer.limit.value)
    return answer


@check_types
def validate(problem: PlanningProblem, plan: PlanLike) -> Verdict:
    """Check a plan step by step.

    Returns:
        Whether it is valid, its cost, and else where and why it fails.

    Raises:
        InputErrors: The plan cannot be read.
    """
    return validate_plan(problem.domain, problem.problem, _steps(plan))


def _steps(plan: PlanLike) -> PlanFile:
    if isinstance(plan, str | PathLike):
        return read_plan(Path(plan))
    steps: list[TimedStep] = []
    for step in plan.actions if isinstance(plan, Plan) else plan:
        if not isinstance(step, GroundAction | str):
            raise UsageError(f"{step!r} is no action", hint="a GroundAction, or text such as '(open fridge)'")
        actions = (step,) if isinstance(step, GroundAction) else parse_plan(step).actions
        steps += [TimedStep(number, action) for number, action in enumerate(actions, len(steps) + 1)]
    return PlanFile(tuple(steps))
