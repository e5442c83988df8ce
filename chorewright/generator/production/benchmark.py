"""The benchmark protocol: episodes as a pure function of configuration, index and assignment.

A benchmark is found by its name in the entry-point group ``chorewright.benchmarks``; where a person typed it also as
``module:attribute``.
What it must have is ``Benchmark``; whatever else it can do it shows by having one of the methods of the other
protocols here, which the verbs ask for: none of them knows a benchmark by name.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from chorewright.domains.library import Library
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import ChorewrightError, LimitError, UnsupportedError, UsageError
from chorewright.files.plugins import Origin, Registry
from chorewright.generator.dataset.episode import Episode, RejectedIndex

if TYPE_CHECKING:
    from rich.console import RenderableType

    from chorewright.generator.dataset.config import Assignment, GenerateConfig
    from chorewright.generator.production.attempts import TaskTrials
    from chorewright.generator.production.presenting import Presenter


class Benchmark(Protocol):
    """One benchmark's way to make episodes.

    ``assign`` and ``episode`` are pure: no clock, no worker id, no hash order, no global random numbers. The
    only randomness is ``random_for(config, index)``.

    Attributes:
        name: Part of every seed and of every dataset; it never changes.
        world: The world that its episodes are in, by its name; empty if that is nobody else's business.
        options: A frozen dataclass whose fields are declared by ``options.option``; they become the flags of
            ``generate``. ``options.NoOptions`` if there are none.
    """

    name: str
    world: str
    options: type

    def assign(self, config: GenerateConfig, count: int) -> Iterable[Assignment]:
        """Return the assignments of the indices 0 to ``count - 1``, in order: cheap, computed once per run.

        Raises:
            UsageError: An option of the configuration is unknown or matches nothing.
        """
        ...

    def episode(self, index: int, config: GenerateConfig, assignment: Assignment) -> Episode:
        """Return the demonstration of an index, accepted or not.

        An assignment that cannot be met in the scene tries its own next candidates (spawns), never asks what
        other indices did; if all fail, the episode says why in ``outcome.reason`` and is not accepted.
        """
        ...


@runtime_checkable
class TriesTasks(Protocol):
    """A benchmark whose attempts ``check-task`` can make."""

    def trials(self, config: GenerateConfig, count: int, attempts: int) -> TaskTrials:
        """Return the trials to make of the configuration's task.

        Args:
            config: The configuration.
            count: In how many rooms or scenes, at most.
            attempts: How many attempts in each, at most; the first that is accepted ends a trial.

        Raises:
            UsageError: The configuration has not just one task, or nothing suits it.
        """
        ...


@dataclass(frozen=True, slots=True)
class TaskRequest:
    """A task to be compiled that is no goal template.

    Attributes:
        name: Its name, without the benchmark's.
        params: Its parameters, in order.
        scene: A scene's name or file; None for the first that suits.
        seed: Where things lie.
        definitions: A folder of the user's definitions.
        any_objects: Leave open which objects are taken.
        strict: Nothing may serve twice.
        library: The user's kinds and domain; None for the shipped ones.
    """

    name: str
    params: tuple[str, ...]
    scene: str | None
    seed: int
    definitions: Path | None
    any_objects: bool = False
    strict: bool = False
    library: Library | None = None


@dataclass(frozen=True, slots=True)
class CompiledTask:
    """A task as a planning problem; ``said`` is what to tell of it: task, scene, seed, sentences."""

    domain: Domain
    problem: Problem
    said: Mapping[str, object]


class TaskLanguage(Protocol):
    """Tasks in a language of a benchmark's own; they are called ``BENCHMARK/NAME``."""

    def rows(self, definitions: Path | None) -> Sequence[Mapping[str, object]]:
        """Return all tasks as JSON values, those of the user's definitions among them."""
        ...

    def table(self, definitions: Path | None) -> RenderableType:
        """Return all tasks as a table."""
        ...

    def row(self, name: str, definitions: Path | None) -> Mapping[str, object]:
        """Return one task as JSON values.

        Raises:
            UsageError: There is no such task.
        """
        ...

    def lines(self, name: str, definitions: Path | None) -> Sequence[str]:
        """Return one task as a heading and lines to read."""
        ...

    def compile(self, request: TaskRequest) -> CompiledTask:
        """Compile a task.

        Raises:
            UsageError: There is no such task or scene, or a parameter makes no sense.
            InputError: A definition has errors.
        """
        ...


@runtime_checkable
class HasTaskLanguage(Protocol):
    """A benchmark whose tasks are not goal templates."""

    def task_language(self) -> TaskLanguage:
        """Return what lists and compiles them."""
        ...


@runtime_checkable
class HasPlanningTasks(Protocol):
    """A benchmark whose episodes are plans of planning problems."""

    def planning_task(self, episode: Episode) -> tuple[Domain, Problem]:
        """Return the domain and the problem of an accepted episode.

        Raises:
            InputError: It has none.
            DatasetCorrupt: What it holds is damaged.
        """
        ...


@runtime_checkable
class HasPresenter(Protocol):
    """A benchmark that has its own way to show datasets and episodes in the terminal."""

    def presenter(self) -> Presenter:
        """Return that way."""
        ...


@runtime_checkable
class HasPhysics(Protocol):
    """A benchmark whose episodes hold floats of a physics engine, whose last bits may differ between machines."""

    def difference(self, one: Episode, other: Episode) -> str:
        """Return what of two episodes differs beyond that; empty if nothing does.

        Raises:
            DatasetCorrupt: An episode's records are damaged.
        """
        ...


@runtime_checkable
class CountsTries(Protocol):
    """A benchmark whose rejected attempts have reasons of few kinds, so that counting them tells something."""

    def hint(self, config: GenerateConfig, reasons: Mapping[str, int]) -> str:
        """Return what may help where these were the reasons of rejections; empty if nothing is known to."""
        ...


@runtime_checkable
class HasSpeakers(Protocol):
    """A benchmark whose episodes are dialogues."""

    def spoken(self, episode: Episode) -> Sequence[tuple[str, str]]:
        """Return what is said, in order, each with who says it."""
        ...


@dataclass(frozen=True, slots=True)
class PaperFigure:
    """A figure of a dataset beside its benchmark's paper's, as text."""

    label: str
    ours: str
    paper: str


@runtime_checkable
class HasPaperFigures(Protocol):
    """A benchmark whose paper tells figures of its dataset, to be shown beside those of ours."""

    def paper_figures(self, episodes: Sequence[Episode]) -> Sequence[PaperFigure]:
        """Return the figures of some episodes, of which there is at least one, beside the paper's."""
        ...


BENCHMARKS: Registry[Benchmark] = Registry(
    "chorewright.benchmarks", "benchmark", ("name", "world", "options", "assign", "episode")
)


def find_benchmark(name: str, origin: Origin = Origin.FILE) -> Benchmark:
    """Return a benchmark by its name, or by ``module:attribute`` if a person typed it.

    Raises:
        MissingPlugin: A file names one that is not installed.
        UsageError: There is no such benchmark, or it cannot be loaded.
    """
    return BENCHMARKS.find(name, origin)


def benchmark_if_known(name: str) -> Benchmark | None:
    """Return a stored dataset's benchmark, or None if it is not installed here: its rows can be read all the same."""
    try:
        return find_benchmark(name)
    except UsageError:
        return None


def task_language_of(task: str) -> tuple[TaskLanguage, str] | None:
    """Return the language of a task called ``BENCHMARK/NAME`` and its name there; None if it is a goal template's."""
    owner, slash, name = task.partition("/")
    if not slash or owner.lower() not in BENCHMARKS.names():
        return None
    found = find_benchmark(owner.lower())
    return (found.task_language(), name) if isinstance(found, HasTaskLanguage) else None


def task_languages() -> tuple[TaskLanguage, ...]:
    """Return the task languages of all benchmarks."""
    every = BENCHMARKS.usable().values()
    return tuple(each.task_language() for each in every if isinstance(each, HasTaskLanguage))


def make_episode(benchmark: Benchmark, config: GenerateConfig, assignment: Assignment) -> Episode | RejectedIndex:
    """Make one episode, or say why there is none.

    A defect of the benchmark, or what it cannot do, rejects its index: one in a hundred thousand does not end the run;
    what the next try could do better (memory, files, a missing extra) does end it.
    """
    tries: tuple[str, ...] = ()
    try:
        with redirect_stdout(sys.stderr):  # what a user's benchmark prints shall not get into a verb's output
            episode = benchmark.episode(assignment.index, config, assignment)
        told = _mislabelled(episode, config, assignment)
        if episode.outcome.accepted and not told:
            return episode
        reason, task, scene = told or episode.outcome.reason, episode.task, assignment.scene
        tries = episode.rejections if len(episode.rejections) > 1 and not told else ()
    except (UnsupportedError, LimitError) as error:  # of this episode's problem, not of the configuration
        reason, task, scene = error.message, assignment.task, assignment.scene
    except (ChorewrightError, OSError, MemoryError, ImportError):
        raise
    except Exception as error:
        if os.environ.get("CHOREWRIGHT_DEBUG"):
            raise
        from chorewright.generator.production.attempts import defect

        reason, task, scene = defect(error), assignment.task, assignment.scene
    return RejectedIndex(assignment.index, task, scene, reason or "no reason given", tries)


def _mislabelled(episode: Episode, config: GenerateConfig, assignment: Assignment) -> str:
    """Return why an episode cannot be that of its index; nothing if it can. Readers would take it for damaged."""
    from chorewright.generator.production.attempts import DEFECT

    if episode.benchmark != config.benchmark:
        return f"{DEFECT}the episode's benchmark is {episode.benchmark!r}, not config.benchmark, {config.benchmark!r}"
    if episode.index != assignment.index:
        return f"{DEFECT}the episode's index is {episode.index}, not {assignment.index}"
    return ""
