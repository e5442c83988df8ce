"""The benchmark: the base class of what makes episodes, as a pure function of configuration, index and assignment.

A benchmark is found by its name in the entry-point group ``chorewright.benchmarks``; where a person typed it also as
``module:attribute``. It must have the abstract methods of ``Benchmark``; whatever else the verbs ask for, it may do by
the others: no verb knows a benchmark by name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

from chorewright.errors import InputError, UsageError
from chorewright.files.english import say_count, say_list
from chorewright.files.plugins import Registry
from chorewright.files.processes import Timed
from chorewright.files.stopping import Limit
from chorewright.generator.dataset.config import Assignment, GenerateConfig, random_for
from chorewright.generator.dataset.episode import Episode, Outcome
from chorewright.generator.dataset.options import NoOptions
from chorewright.generator.production.attempts import OUT_OF, Attempt, Rejection, TaskTrial

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.console import RenderableType

    from chorewright.domains.pddl.syntax import Domain, Problem
    from chorewright.generator.dataset.store.dataset import Dataset
    from chorewright.generator.production.attempts import TaskTrials
    from chorewright.generator.production.worlds import TaskLanguage


C = TypeVar("C")
M = TypeVar("M")

DRAWS = 6
"""How many draws there are for each further plan of a start."""


def _deeds(episode: Episode) -> frozenset[object]:
    """Return the actions and the steps of an episode: another plan has others of both."""
    return frozenset((frozenset(episode.plan), tuple((each.action, each.arguments) for each in episode.steps)))


class Benchmark(ABC, Generic[C, M]):
    """One benchmark's way to make episodes: assignments, and for each the attempts of its candidates.

    ``C`` is a candidate, what an attempt tries: it holds its own seed. ``M`` is what comes of one. All methods are
    pure: no clock, no worker id, no hash order, no global random numbers. The only randomness is that of
    ``random_for(config, index)`` and of a candidate's seed.

    Attributes:
        name: Part of every seed and of every dataset; it never changes.
        world: The world that its episodes are in, by its name; empty if that is nobody else's business.
        options: A frozen dataclass whose fields are declared by ``options.option``; they become the flags of
            ``generate``. ``options.NoOptions`` if there are none.
        stages: The names of an attempt's stages, in order.
        efforts: The flags of ``config.EFFORTS`` that its attempts heed.
        counts_tries: Whether the reasons of rejections are of few kinds, so that counting them tells something.
        first_look: What a newcomer is shown of it; None for nothing.
    """

    name: str
    world: str = ""
    options: type = NoOptions
    stages: tuple[str, ...] = ()
    efforts: tuple[str, ...] = ()
    counts_tries: bool = False
    first_look: FirstLook | None = None

    @abstractmethod
    def assign(self, config: GenerateConfig, count: int) -> Sequence[Assignment]:
        """Return the assignments of the indices 0 to ``count - 1``, in order: cheap, computed once per run.

        Raises:
            UsageError: An option of the configuration is unknown or matches nothing.
        """

    def assignments(self, config: GenerateConfig, count: int) -> Sequence[Assignment]:
        """Return what ``assign`` returns, each as often as its start is to have different plans; raises as it does."""
        times = config.effort.plans
        found = self.assign(config, -(-count // times))
        return found if times == 1 else [replace(found[index // times], index=index) for index in range(count)]

    @abstractmethod
    def candidates(
        self, config: GenerateConfig, assignment: Assignment, rng: np.random.Generator, tried: Sequence[Attempt[C, M]]
    ) -> Iterator[C]:
        """Yield what to try for an assignment, the assignment itself first.

        Args:
            config: The configuration.
            assignment: What the index shall demonstrate.
            rng: The index's generator; whatever is drawn is drawn as a candidate is asked for.
            tried: The attempts so far; it grows while candidates are asked for.
        """

    @abstractmethod
    def attempt(self, config: GenerateConfig, candidate: C) -> Attempt[C, M]:
        """Run all stages for a candidate, or up to the first that fails."""

    @abstractmethod
    def speak(
        self, config: GenerateConfig, blank: Episode, attempt: Attempt[C, M], rng: np.random.Generator
    ) -> Episode:
        """Say the last attempt in words and write it down, accepted or not.

        Args:
            config: The configuration.
            blank: What is known before: the assignment, how the attempts went, and why some were rejected.
            attempt: The last one.
            rng: The index's generator, as the candidates left it.
        """

    def count(self, config: GenerateConfig) -> int:
        """Return how many episodes a configuration asks for, where its options say so; else the number that it has.

        Raises:
            UsageError: An option has a value that it cannot have.
        """
        return config.episodes

    def label(self, candidate: C) -> str:
        """Return how the rejections of an episode name a candidate; empty if they do not."""
        return ""

    def remarks(self, config: GenerateConfig, attempt: Attempt[C, M]) -> tuple[str, ...]:
        """Return what a task's author should know of an attempt besides whether it was accepted."""
        return ()

    def episode(self, index: int, config: GenerateConfig, assignment: Assignment) -> Episode:
        """Return the demonstration of an index: of the first candidate that is accepted, else of the last.

        What other indices did is never asked. An episode that is not accepted says why in ``outcome.reason``.
        """
        return self.make_attempts(config, assignment)[1]

    def make_attempts(
        self, config: GenerateConfig, assignment: Assignment, most: int = 0, uncounted: Collection[str] = ()
    ) -> tuple[Sequence[Attempt[C, M]], Episode]:
        """Return the attempts of an assignment up to the first that is accepted, and the episode of the last.

        Args:
            config: The configuration.
            assignment: What the attempts demonstrate.
            most: How many attempts at most; 0 for as many as there are candidates.
            uncounted: Stages whose failures do not count as attempts there, for scenes that do not suit.
        """
        if number := assignment.index % config.effort.plans:
            usual = replace(assignment, index=assignment.index - number)
            first, shown = self.make_attempts(config, usual, most, uncounted)
            return self.further_attempt(config, assignment, first[-1], shown, number)
        rng = random_for(config, assignment.index)
        tried: list[Attempt[C, M]] = []
        counted = 0
        for candidate in self.candidates(config, assignment, rng, tried):
            with Timed("attempt"):
                tried.append(self.attempt(config, candidate))
            failed = tried[-1].rejection
            counted += failed is None or failed.stage not in uncounted
            if failed is None or counted == most > 0:
                break
        if not tried:
            raise ValueError("no candidate is yielded")
        with Timed("say"):
            return tried, self.speak(config, self._blank(config, assignment, tried), tried[-1], rng)

    def further_attempt(
        self, config: GenerateConfig, assignment: Assignment, first: Attempt[C, M], shown: Episode, number: int
    ) -> tuple[Sequence[Attempt[C, M]], Episode]:
        """Return the attempt and the episode of a start's further plan: one that does other actions than those before.

        Args:
            config: The configuration.
            assignment: What the attempt demonstrates.
            first: The attempt with the start's usual plan.
            shown: Its episode.
            number: How many other plans of the start come before.
        """
        found, seen = 1, _deeds(shown)
        for draw in range(1, 1 + DRAWS * (config.effort.plans - 1)) if first.accepted else ():
            attempt, episode = self.attempt_plan(config, assignment, first, draw)
            if attempt.accepted and seen.isdisjoint(deeds := _deeds(episode)):
                found, seen = found + 1, seen | deeds
                if found > number:
                    return [attempt], episode
        why = f"only {say_count(found, 'different plan')} of this start {'are' if found > 1 else 'is'} found"
        again = [replace(first, rejection=first.rejection or Rejection("plan", why))]
        rng = random_for(config, assignment.index)
        return again, self.speak(config, self._blank(config, assignment, again), again[0], rng)

    def attempt_plan(
        self, config: GenerateConfig, assignment: Assignment, first: Attempt[C, M], plan: int
    ) -> tuple[Attempt[C, M], Episode]:
        """Return an attempt at the start of another with a plan by its number or draw, and its episode."""
        other = replace(config, effort=replace(config.effort, plan=plan))
        with Timed("attempt"):
            attempt = self.attempt(other, first.candidate)
        rng = random_for(config, assignment.index)
        with Timed("say"):
            return attempt, self.speak(other, self._blank(config, assignment, [attempt]), attempt, rng)

    def _blank(self, config: GenerateConfig, assignment: Assignment, tried: Sequence[Attempt[C, M]]) -> Episode:
        """Return an episode of what is known before anything is said of an attempt."""
        rejected = ((each.candidate, each.rejection) for each in tried if each.rejection is not None)
        return Episode(
            benchmark=config.benchmark,
            index=assignment.index,
            seed=config.seed,
            task=assignment.task,
            parameters=assignment.parameters,
            split=assignment.split,
            outcome=Outcome(tried[-1].accepted, tried[-1].reason),
            attempts=len(tried),
            rejections=tuple(why.text(self.label(candidate)) for candidate, why in rejected),
        )

    def trial(
        self, config: GenerateConfig, assignment: Assignment, attempts: int, uncounted: Collection[str] = ()
    ) -> TaskTrial:
        """Make the first attempts that ``episode`` makes, and tell what came of them; see ``make_attempts``."""
        tried, episode = self.make_attempts(config, assignment, attempts, uncounted)
        return TaskTrial(
            scene=assignment.scene or f"seed {episode.seed}",
            seed=episode.seed,
            binding=episode.parameters,
            rejected=tuple(each.rejection for each in tried if each.rejection is not None),
            accepted=tried[-1].accepted,
            actions=len(episode.plan),
            steps=len(episode.steps),
            sentence=next((each.text for each in episode.instructions), ""),
            remarks=self.remarks(config, tried[-1]),
            draw=partial(self.map_of, config, tried[-1]),
        )

    # What verbs ask of a benchmark besides: it does what it can, the rest is as here.

    def map_of(self, config: GenerateConfig, attempt: Attempt[C, M]) -> NDArray[np.uint8] | None:
        """Return a map of where an attempt was made, (height, width, 3); None if too little came of it.

        Raises:
            UsageError: It draws none.
        """
        raise UsageError(f"attempts of the benchmark {config.benchmark} have no maps")

    def trials(self, config: GenerateConfig, count: int) -> TaskTrials:
        """Return what ``check-task`` tries of the configuration's task; only if its options have ``tasks``.

        Args:
            config: The configuration.
            count: In how many rooms or scenes, at most.

        Raises:
            UsageError: The configuration has not just one task, or nothing suits it.
        """
        raise UsageError(f"the benchmark {config.benchmark} makes no attempts of single tasks")

    def task_language(self) -> TaskLanguage | None:
        """Return what lists and compiles its tasks; None if they are goal templates."""
        return None

    def planning_task(self, episode: Episode) -> tuple[Domain, Problem]:
        """Return the domain and the problem of an accepted episode.

        Raises:
            InputError: It has none.
            DatasetCorrupt: What it holds is damaged.
        """
        raise InputError(f"episodes of the benchmark {episode.benchmark} hold no planning problem")

    def moments(self) -> object:
        """Return the ``Moments`` that run and draw its episodes (``generator/showing/moments.py``); None if none do."""
        return None

    def conversations(self) -> object:
        """Return the ``Conversations`` that tell its episodes (``generator/training/chat.py``); None if none do."""
        return None

    def transition_source(self) -> object:
        """Return the ``TransitionSource`` of episodes that a Gymnasium environment made; None for others."""
        return None

    def presenter(self) -> Presenter | None:
        """Return its own way to show datasets and episodes in the terminal; None for the usual one."""
        return None

    def spoken(self, episode: Episode) -> Sequence[tuple[str, str]]:
        """Return a dialogue, in order, each utterance with who says it; nothing if an episode is none."""
        return ()

    def subjects(self, episode: Episode) -> Sequence[str]:
        """Return the tasks that an episode is about, in order, as pages name and count them."""
        return (episode.task,)

    def parameters(self, episode: Episode) -> Sequence[tuple[str, str]]:
        """Return the parameters of an episode's task as pages name them."""
        return episode.parameters

    def difference(self, one: Episode, other: Episode) -> str:
        """Return what of two episodes differs that must not; empty if nothing does.

        The floats of a physics engine may: their last bits depend on the machine.

        Raises:
            DatasetCorrupt: An episode's records are damaged.
        """
        names = [each.name for each in fields(one) if getattr(one, each.name) != getattr(other, each.name)]
        return f"its {', '.join(names)} differ" if names else ""

    def hint(self, config: GenerateConfig, reasons: Mapping[str, int]) -> str:
        """Return what may help where these were the reasons of rejections; empty if nothing is known to."""
        flags = {Limit.EVALUATIONS: "--evaluations", Limit.TIME: "--time-per-episode"}
        met = [
            flag
            for limit, flag in flags.items()
            if flag in self.efforts and any(f"{OUT_OF}{limit.value}" in reason for reason in reasons)
        ]
        return f"give the planner more with {say_list(met)}" if met else ""

    def paper_figures(self, episodes: Sequence[Episode]) -> Sequence[PaperFigure]:
        """Return figures of some episodes, of which there is at least one, beside those that its paper tells."""
        return ()


@dataclass(frozen=True, slots=True)
class FirstLook:
    """What a newcomer is shown of a benchmark.

    Attributes:
        place: Which comes before it: those of a lower place.
        share: How many of a dozen episodes are its.
        options: Its options for them, by name.
    """

    place: int
    share: int
    options: Mapping[str, object]


AnyBenchmark: TypeAlias = Benchmark[Any, Any]
"""A benchmark as those see it who do not know what it tries."""


@dataclass(frozen=True, slots=True)
class PaperFigure:
    """A figure of a dataset beside its benchmark's paper's, as text."""

    label: str
    ours: str
    paper: str


_NEEDED = ("name", "world", "options", "assign", "assignments", "episode", "moments", "trials")
BENCHMARKS: Registry[AnyBenchmark] = Registry("chorewright.benchmarks", "benchmark", _NEEDED)


def benchmark_if_known(name: str) -> AnyBenchmark | None:
    """Return a stored dataset's benchmark, or None if it is not installed here: its rows can be read all the same."""
    try:
        return BENCHMARKS.find(name)
    except UsageError:
        return None


def task_language_of(task: str) -> tuple[TaskLanguage, str] | None:
    """Return the language of a task called ``BENCHMARK/NAME`` and its name there; None if it is a goal template's."""
    owner, slash, name = task.partition("/")
    if not slash or owner.lower() not in BENCHMARKS.names():
        return None
    language = BENCHMARKS.find(owner.lower()).task_language()
    return None if language is None else (language, name)


def task_languages() -> tuple[TaskLanguage, ...]:
    """Return the task languages of all benchmarks."""
    every = (each.task_language() for each in BENCHMARKS.usable().values())
    return tuple(each for each in every if each is not None)


# Presenters: how a benchmark shows its datasets and episodes in the terminal.


class Presenter(Protocol):
    """An overview of a dataset, as a table and as JSON, and one episode to read; ``view`` is the usual one."""

    def overview(self, dataset: Dataset) -> Any:
        """Return a dataset's figures; reads every episode once."""

    def overview_json(self, value: Any) -> dict[str, object]:
        """Return an overview as JSON values."""

    def overview_table(self, value: Any) -> RenderableType:
        """Return an overview as a table."""

    def episode_text(self, episode: Episode) -> RenderableType:
        """Return an episode to read."""
