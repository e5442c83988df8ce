"""Evaluation: agents play tasks, and what they reach is counted by level (Tables 2, 3, 5 and 6)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from chorewright.files.plugins import Origin, make
from chorewright.replay.games.foreign import ForeignTextAgent
from chorewright.replay.handmethat.agents import (
    Agent,
    Explorer,
    OneTrialAgent,
    PlannerAgent,
    RandomAgent,
    alike,
    meant,
    repeat,
)
from chorewright.replay.handmethat.listener import infer
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.replay.handmethat.world import PAPER, Rules, TextWorld

AGENTS: Mapping[str, Callable[[], Agent]] = {
    "random": RandomAgent,
    "heuristic": lambda: OneTrialAgent(repeat, alike),
    "planner": PlannerAgent,
    "inferring": lambda: PlannerAgent(infer),
    "oracle": lambda: OneTrialAgent(meant),
}
"""The shipped agents by name."""

EXPLORING: Mapping[str, Callable[[], Agent]] = {
    "heuristic": lambda: Explorer(OneTrialAgent(repeat, alike)),
    "planner": lambda: Explorer(PlannerAgent()),
    "inferring": lambda: Explorer(PlannerAgent(infer)),
}
"""The same agents in the partially observable world, those that have to look for objects there."""


@dataclass(frozen=True, slots=True)
class Played:
    """How one episode went."""

    name: str
    level: int
    quest: str
    score: float
    won: bool
    moves: int
    questions: int


@dataclass(frozen=True, slots=True)
class Result:
    """How a group of episodes went.

    Attributes:
        episodes: How many there are.
        score: The mean score.
        success: The share of those won.
        moves: The mean number of moves of those won; None if none was.
        questions: The mean number of questions.
    """

    episodes: int
    score: float
    success: float
    moves: float | None
    questions: float


def find_agent(name: str, fully_observable: bool = True, origin: Origin = Origin.FILE) -> Agent:
    """Return an agent by its name, or by ``module:attribute`` if a person typed it.

    Args:
        name: The name.
        fully_observable: Whether all objects are seen at all times; an agent that needs to explores if not.
        origin: Where the name came from.

    Raises:
        UsageError: There is no such agent.
    """
    if not fully_observable and name in EXPLORING:
        return EXPLORING[name]()
    if name in AGENTS:
        return AGENTS[name]()
    hint = f"agents: {', '.join(AGENTS)}; or module:attribute for one of your own"
    agent = cast(Agent, make(name, "agent", origin, ("begin", "act"), hint))
    return ForeignTextAgent(name, agent, lambda task: f"episode {task.name}")


def play(
    agent: Agent,
    task: HandMeThatTask,
    rng: np.random.Generator,
    fully_observable: bool = True,
    rules: Rules = PAPER,
) -> Played:
    """Let an agent play one task to its end."""
    world = TextWorld(task, fully_observable, rules)
    observation = world.reset()
    agent.begin(task, rng)
    while not world.over:
        observation = world.step(agent.act(observation, world.admissible())).observation
    return Played(
        task.name,
        task.level,
        task.utterance.quest.value,
        world.score,
        world.won,
        world.moves,
        world.questions,
    )


def play_index(agent: Agent, tasks: Sequence[HandMeThatTask], index: int, seed: int, fully_observable: bool) -> Played:
    """Let an agent play one of several tasks; its random numbers follow from the seed and the index."""
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence((seed, index))))
    return play(agent, tasks[index], rng, fully_observable)


def result(played: Iterable[Played]) -> Result:
    """Count a group of episodes, at least one."""
    every = list(played)
    won = [each.moves for each in every if each.won]
    return Result(
        episodes=len(every),
        score=sum(each.score for each in every) / len(every),
        success=len(won) / len(every),
        moves=sum(won) / len(won) if won else None,
        questions=sum(each.questions for each in every) / len(every),
    )


ALL = "all"
"""The column of all levels together."""


def by_level(played: Sequence[Played]) -> dict[str, Result]:
    """Return the results of each level that there is, and of all."""
    groups: dict[str, list[Played]] = {}
    for each in sorted(played, key=lambda each: each.level):
        groups.setdefault(f"level {each.level}", []).append(each)
    return {**{name: result(group) for name, group in groups.items()}, ALL: result(played)}


def by_quest(played: Sequence[Played]) -> dict[str, dict[str, Result]]:
    """Return the results by level of each type of request, if there are several."""
    quests = sorted({each.quest for each in played})
    if len(quests) < 2:
        return {}
    return {quest: by_level([each for each in played if each.quest == quest]) for quest in quests}
