"""A planning problem with its plan and a sentence: what all questions are made of."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import InputError
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.production.benchmark import HasPlanningTasks, find_benchmark
from chorewright.planner.plan import GroundAction, Limits, Plan
from chorewright.planner.planning import solve
from chorewright.planner.validation import validate
from chorewright.rsa.words.verbaliser import Verbaliser

EVALUATIONS = 50_000


@dataclass(frozen=True, slots=True)
class EaiTask:
    """A task.

    Attributes:
        name: What it is called; part of its questions' identifiers.
        domain: The domain.
        problem: The problem.
        plan: A valid plan.
        sentence: What to do, in words.
    """

    name: str
    domain: Domain
    problem: Problem
    plan: tuple[GroundAction, ...]
    sentence: str


def task_of(episode: Episode) -> EaiTask | None:
    """Return the task of an accepted episode; None if no valid plan of its problem is known.

    The plan is the episode's where the problem takes it, else the planner's.

    Raises:
        MissingPlugin: The benchmark is not installed.
        InputError: The benchmark's episodes hold no planning problem.
    """
    benchmark = find_benchmark(episode.benchmark)
    if not isinstance(benchmark, HasPlanningTasks):
        raise InputError(f"episodes of the benchmark {episode.benchmark} hold no planning problem")
    domain, problem = benchmark.planning_task(episode)
    name = re.sub(r"[^A-Za-z0-9_]+", "_", f"{episode.task.rpartition('/')[2]}_{episode.index}")
    said = next((each.text for each in episode.instructions if each.level in ("goal", "utterance")), None)
    return make_task(name, domain, problem, episode.plan, said)


def make_task(
    name: str,
    domain: Domain,
    problem: Problem,
    plan: tuple[GroundAction, ...] = (),
    sentence: str | None = None,
) -> EaiTask | None:
    """Return the task of a problem; None if there is no plan.

    Args:
        name: What it is called.
        domain: The domain.
        problem: The problem.
        plan: A plan; if it is not valid, the planner's is taken.
        sentence: What to do; by default the goal in words.
    """
    if not plan or not validate(domain, problem, plan).valid:
        found = solve(domain, problem, Limits(evaluations=EVALUATIONS))
        if not isinstance(found, Plan) or not found.actions:
            return None
        plan = found.actions
    said = sentence or Verbaliser.of(domain, problem.objects).goal(problem.goal)
    return EaiTask(name, domain, replace(problem, name=name.lower().replace("_", "-")), plan, said)
