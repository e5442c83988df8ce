"""Which benchmark makes the attempts of a task, and the attempts that it makes: what ``check-task`` runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, fields, replace
from pathlib import Path

from chorewright.domains.library import Library, user_library
from chorewright.domains.templates.goal_templates import GoalTemplate
from chorewright.domains.vocabulary_files import kinds_beside
from chorewright.errors import UsageError
from chorewright.files.plugins import Origin
from chorewright.files.text import note
from chorewright.generator.dataset.config import USUAL_EFFORT, GenerateConfig, PlannerEffort
from chorewright.generator.dataset.options import configure
from chorewright.generator.production.attempts import OUT_OF, TaskTrial, TaskTrials, TrialReport, rejection_of
from chorewright.generator.production.benchmark import BENCHMARKS, AnyBenchmark, task_language_of
from chorewright.generator.production.worlds import find_task

ATTEMPTS = 3
"""How many attempts a room gets where the author does not say."""


@dataclass(frozen=True, slots=True)
class TaskAttempts:
    """The attempts of a task that are to be made: whose, and how many in each of which rooms or scenes."""

    benchmark: AnyBenchmark
    config: GenerateConfig
    asked: TaskTrials
    most: int

    def run(self, tell: Callable[[TaskTrial], None] = lambda trial: None) -> TrialReport:
        """Run the trials one after the other; ``tell`` hears of each."""
        asked, done = self.asked, list[TaskTrial]()
        for each in asked.assignments:
            try:
                with redirect_stdout(sys.stderr):
                    done.append(self.benchmark.trial(self.config, each, self.most, asked.uncounted))
            except KeyboardInterrupt:
                note(
                    f"stopped in attempts of {asked.task}, after {len(done)} of {len(asked.assignments)} {asked.places}"
                )
                raise
            except Exception as error:
                done.append(TaskTrial("", 0, (), (rejection_of(error),), False, 0, 0, ""))
            tell(done[-1])
        report = TrialReport(asked, self.benchmark.stages, tuple(done))
        if report.solved and not any(OUT_OF in reason for reason, _ in report.reasons):
            return report
        return replace(report, hint=self.benchmark.hint(self.config, dict(report.reasons)))


def attempts_of(
    task: str,
    count: int,
    seed: int,
    given: Mapping[str, object],
    benchmark: str | None = None,
    attempts: int = ATTEMPTS,
    effort: PlannerEffort = USUAL_EFFORT,
) -> TaskAttempts:
    """Return the attempts of a task, which are made just as ``generate`` makes them.

    Args:
        task: A goal template's name or file, or ``BENCHMARK/NAME``.
        count: In how many rooms or scenes at most.
        seed: Other fillings, other places of things.
        given: Further options of the benchmark, by name.
        benchmark: Whose attempts, as a person named it; None for the one that the task belongs to.
        attempts: How many in each room at most.
        effort: What the planner may do for each.

    Raises:
        UsageError: There is no such task or benchmark, it makes no attempts, or nothing suits the task.
        InputError: A file has errors.
    """
    owner, _, short = task.partition("/")
    if Path(task).is_dir():
        raise UsageError(f"{task!r} is a folder, not a task", hint="give a task's name, or one of its .task files")
    if task_language_of(task) is not None:
        name, task = owner.lower(), short
    else:
        name = _benchmark_of(find_task(task, _library(given, kinds_beside(task))))
    name = benchmark or name
    found = BENCHMARKS.find(name, Origin.PERSON if benchmark else Origin.FILE)
    if not _takes_tasks(found):
        raise UsageError(f"the benchmark {name} makes no attempts of single tasks")
    config = configure(found, name, count, {"tasks": [task], **given}, seed=seed, effort=effort)
    return TaskAttempts(found, config, found.trials(config, count), attempts)


def _takes_tasks(benchmark: AnyBenchmark) -> bool:
    return any(each.name == "tasks" for each in fields(benchmark.options))


def _library(given: Mapping[str, object], beside: tuple[str, ...]) -> Library:
    """Return the library with a user's kinds and domain among a benchmark's options, and what lies beside the task."""
    kinds, domain = given.get("kinds") or (), given.get("domain") or ()
    assert isinstance(kinds, list | tuple)
    assert isinstance(domain, list | tuple)
    return user_library([*beside, *map(str, kinds)], next(map(str, domain), None))


def _benchmark_of(template: GoalTemplate) -> str:
    """Return the benchmark that a goal template is named after, else the first one of its world that takes it."""
    if template.collection in BENCHMARKS.names():
        return template.collection
    for name, found in BENCHMARKS.usable().items():
        if found.world == template.domain and _takes_tasks(found) and found.task_language() is None:
            return name
    raise UsageError(
        f"no benchmark makes attempts of tasks of the domain {template.domain}", hint="name one: --benchmark NAME"
    )
