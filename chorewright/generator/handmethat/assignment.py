"""What each index of a HandMeThat dataset demonstrates: goal template, type of request, level and split.

Version 1 has the shares of Table 20, whatever the number of episodes; version 2 those of Table 4 for splits,
with all its goals in equal parts and the levels as they come.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from chorewright.domains.formulas import predicates_mentioned_in
from chorewright.domains.handmethat.object_space import object_space
from chorewright.domains.library import handmethat_domain, user_library
from chorewright.domains.templates.goal_templates import GoalTemplate
from chorewright.errors import UsageError
from chorewright.files.records import reader_of
from chorewright.generator.dataset.config import Assignment, GenerateConfig, random_for
from chorewright.generator.dataset.options import option, read_options
from chorewright.generator.measuring import trial
from chorewright.generator.production.worlds import find_templates, refuse_start, tasks_option
from chorewright.rsa.handmethat import COST_NAMES
from chorewright.rsa.handmethat.meanings import Quest

if TYPE_CHECKING:
    import numpy as np

    from chorewright.planner.cost_to_go.costs_to_go import Effort


@dataclass(frozen=True, slots=True)
class Version:
    """A version of the dataset: which templates (all without a ``tag``), and how many requests of each type
    and split, by level or (one number) in all."""

    tag: str
    requests: Mapping[str, Mapping[str, tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class HandMeThatSettings:
    """The benchmark's figures, from ``data/handmethat.json``.

    ``tries`` are how many scenes an index tries, ``tries_each`` of them with the same template; ``stops`` at
    how many places of a plan the human may stop to ask and ``draws`` how many meanings are drawn there, by
    version; ``evaluations`` the planner's limit.
    """

    tries: int
    tries_each: int
    stops: Mapping[int, int]
    draws: Mapping[int, int]
    evaluations: int
    versions: Mapping[int, Version]


def templates_of(version: Version) -> tuple[GoalTemplate, ...]:
    """Return the goal templates of a version."""
    return tuple(each for each in user_library().collection("handmethat") if version.tag in ("", *each.tags))


settings = reader_of(HandMeThatSettings, "chorewright.generator.handmethat", "data/figures.json")
"""Returns the benchmark's figures."""


@dataclass(frozen=True, slots=True)
class RequestTarget:
    """What an index asks for: the type of request, and the level if it matters (else 0)."""

    quest: Quest
    level: int

    @property
    def parameters(self) -> tuple[tuple[str, str], ...]:
        level = (("level", str(self.level)),) if self.level else ()
        return (("request", self.quest.value), *level)

    @staticmethod
    def of(parameters: Sequence[tuple[str, str]]) -> RequestTarget:
        given = dict(parameters)
        return RequestTarget(Quest(given["request"]), int(given.get("level", "0")))


def assignments(
    config: GenerateConfig, count: int, version: Version, templates: Sequence[GoalTemplate]
) -> list[Assignment]:
    """Return the assignments of the indices 0 to ``count - 1``.

    Each cell (type of request, level, split) comes as often as its share demands, evenly mixed; its templates
    take turns.

    Raises:
        UsageError: there are no templates.
    """
    if not templates:
        raise UsageError("there is no task to demonstrate", hint="`chorewright tasks` lists the tasks")
    cells = [
        (RequestTarget(Quest(quest), level if len(numbers) > 1 else 0), split, weight)
        for quest, splits in version.requests.items()
        for split, numbers in splits.items()
        for level, weight in enumerate(numbers, 1)
    ]
    turns = _turns([weight for _, _, weight in cells], count)
    orders = [_order(config, number, suit(target, templates)) for number, (target, _, _) in enumerate(cells)]
    used = [0] * len(cells)
    found = []
    for index, cell in enumerate(turns):
        target, split, _ = cells[cell]
        names = orders[cell]
        task = names[used[cell] % len(names)]
        found.append(Assignment(index, task, target.parameters, "", split, used[cell] // len(names)))
        used[cell] += 1
    return found


def suit(target: RequestTarget, templates: Sequence[GoalTemplate]) -> list[GoalTemplate]:
    """Return the templates that can lead to a type of request; all of them where none can.

    A change of state is asked for a goal that speaks of states.
    """
    if target.quest is not Quest.CHANGE_STATE:
        return list(templates)
    states = set(object_space().states)
    return [each for each in templates if states & set(predicates_mentioned_in(each.goal))] or list(templates)


def _order(config: GenerateConfig, cell: int, templates: Sequence[GoalTemplate]) -> list[str]:
    rng = random_for(config, cell, stream=1)
    return [templates[place].full_name for place in rng.permutation(len(templates))]


def _turns(weights: Sequence[int], count: int) -> list[int]:
    """Share turns among cells: each prefix has of each what its weight demands, as well as whole numbers can.

    The turns are those of Sainte-Laguë's method, taken in the order of their quotients.
    """
    import numpy as np

    total = sum(weights)
    numbers = [np.arange(count * weight // total + 2) for weight in weights]
    keys = np.concatenate([(each + 0.5) / weight for each, weight in zip(numbers, weights, strict=True)])
    cells = np.concatenate([np.full(len(each), cell) for cell, each in enumerate(numbers)])
    return [int(cell) for cell in cells[np.lexsort((cells, keys))[:count]]]


@dataclass(frozen=True, slots=True)
class HandMeThatCandidate:
    """A template with what is to be asked for, in a scene sampled from a seed.

    Attributes:
        template: The goal.
        target: What is to be asked for.
        version: Of the benchmark.
        effort: How hard costs are tried to prove.
        seed: Of the scene, and of all that follows.
    """

    template: GoalTemplate
    target: RequestTarget
    version: int
    effort: Effort
    seed: int


def sample_candidates(rng: np.random.Generator, version: int, effort: Effort) -> Iterator[HandMeThatCandidate]:
    """Yield any templates and types of requests of a version, without end."""
    figures = settings().versions[version]
    templates, quests = templates_of(figures), [Quest(name) for name in figures.requests]
    while True:
        target = RequestTarget(quests[int(rng.integers(len(quests)))], 0)
        fitting = suit(target, templates)
        template = fitting[int(rng.integers(len(fitting)))]
        yield HandMeThatCandidate(template, target, version, effort, int(rng.integers(2**31)))


# The options of ``generate handmethat`` and ``evaluate handmethat``.


@dataclass(frozen=True, slots=True)
class HandMeThatOptions:
    """The options of ``generate handmethat``.

    Attributes:
        version: Which version of the benchmark.
        costs: What is known of the costs behind requests.
    """

    tasks: tuple[str, ...] = tasks_option()
    version: str = option("2", choices=tuple(map(str, settings().versions)))
    costs: str = option("optimal", choices=COST_NAMES)


@dataclass(frozen=True, slots=True)
class HandMeThatTrial(trial.Trial):
    """The options of ``evaluate handmethat``.

    Attributes:
        dataset: A dataset, one of the reference's files, or a folder of these.
        agent: random, heuristic, planner, inferring, oracle, or module:Class of your own.
        split: Only the episodes of this split.
        max_steps: Moves after which an episode is lost.
        seed: Of the agent's random numbers.
        partial: The agent sees only what is where it stands.
        paper: Beside which version's tables: 1 or 2.
    """

    dataset: str = trial.dataset_option()
    agent: str = trial.agent_option()
    split: str = ""
    partial: bool = False
    paper: int | None = option(None, low=1, high=2, shown="what the dataset looks like")
    max_steps: int = option(40, low=1)
    seed: int = option(0, low=0)

    APART: ClassVar[tuple[str, ...]] = (*trial.Trial.APART, "paper")


def version_of(config: GenerateConfig) -> int:
    """Return which version of the benchmark a configuration makes."""
    return int(read_options(HandMeThatOptions, config).version)


def config_templates(config: GenerateConfig) -> Mapping[str, GoalTemplate]:
    """Return the templates by their names: the user's files and the named ones, or all of the version's."""
    asked = read_options(HandMeThatOptions, config).tasks
    found = find_templates(config, asked, handmethat_domain().name)
    for template in found:
        refuse_start(template, handmethat_domain().name)
    found = found or templates_of(settings().versions[version_of(config)])
    return {template.full_name: template for template in found}
