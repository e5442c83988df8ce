"""Agents measured on text games: success, goal conditions, and both weighted by the expert's path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from chorewright.files.plugins import Origin, make
from chorewright.replay.alfred.agents import Agent, ExploringAgent, PlannerAgent, RandomAgent
from chorewright.replay.alfred.environment import MOST_STEPS
from chorewright.replay.alfred.game import Game
from chorewright.replay.alfred.play import LONGEST, TextGame
from chorewright.replay.games.foreign import ForeignTextAgent

AGENTS: Mapping[str, Callable[[], Agent]] = {
    "random": RandomAgent,
    "exploring": ExploringAgent,
    "planner": PlannerAgent,
}
"""The shipped agents by name."""

OVERALL = "overall"


@dataclass(frozen=True, slots=True)
class Played:
    """How one game went.

    Attributes:
        name: The game.
        task: Its task type.
        won: Whether the goal was reached.
        conditions: How many of its conditions held at the end.
        of: How many there are.
        steps: Commands that were given.
        expert_steps: Commands that the expert takes; 0 if it knows no way.
        commands: What the agent said, a line each, the first 200 letters of it.
    """

    name: str
    task: str
    won: bool
    conditions: int
    of: int
    steps: int
    expert_steps: int
    commands: str = ""

    @property
    def weight(self) -> float:
        """The expert's commands by those given, at most 1: ALFRED's path weight."""
        return self.expert_steps / max(self.steps, self.expert_steps, 1)


@dataclass(frozen=True, slots=True)
class Scores:
    """What a group of games came to: ALFRED's SR, GC and their path-weighted forms, from 0 to 1.

    Attributes:
        games: How many there are.
        success: The share won.
        weighted_success: The same weighted by path.
        conditions: The share of all goal conditions that held.
        weighted_conditions: The same weighted by path.
        steps: The mean number of commands.
    """

    games: int
    success: float
    weighted_success: float
    conditions: float
    weighted_conditions: float
    steps: float


def find_agent(name: str, origin: Origin = Origin.FILE) -> Agent:
    """Return an agent by its name, or by ``module:attribute`` if a person typed it.

    Raises:
        UsageError: There is no such agent.
    """
    if name in AGENTS:
        return AGENTS[name]()
    hint = f"agents: {', '.join(AGENTS)}; or module:attribute for one of your own"
    agent = cast(Agent, make(name, "agent", origin, ("begin", "act"), hint))
    return ForeignTextAgent(name, agent, lambda play: play.game.name)


def play_game(agent: Agent, game: Game, rng: np.random.Generator, max_steps: int = MOST_STEPS) -> Played:
    """Let an agent play a game until it is won or so many commands were given."""
    play = TextGame(game)
    observation = play.reset()
    expert_steps = len(game.walkthrough or ())
    agent.begin(play, rng)
    said: list[str] = []
    while not play.won and len(said) < max_steps:
        said.append(agent.act(observation, play.admissible()))
        observation = play.step(said[-1]).observation
    met = play.goal.conditions(play.state)
    commands = "\n".join(" ".join(each[:LONGEST].split()) for each in said)
    return Played(game.name, game.task, play.won, sum(met), len(met), len(said), expert_steps, commands)


def play_index(agent: Agent, games: Sequence[Game], index: int, seed: int, max_steps: int) -> Played:
    """Let an agent play one of several games; its random numbers follow from the seed and the index."""
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence((seed, index))))
    return play_game(agent, games[index], rng, max_steps)


def scores(played: Iterable[Played]) -> Scores:
    """Return what a group of games came to, at least one."""
    every = list(played)
    asked = sum(each.of for each in every)
    return Scores(
        len(every),
        sum(each.won for each in every) / len(every),
        sum(each.won * each.weight for each in every) / len(every),
        sum(each.conditions for each in every) / asked,
        sum(each.conditions * each.weight for each in every) / asked,
        sum(each.steps for each in every) / len(every),
    )


def by_task(played: Sequence[Played]) -> dict[str, Scores]:
    """Return the scores of each task type that there is, and of all games."""
    groups: dict[str, list[Played]] = {}
    for each in sorted(played, key=lambda each: each.task):
        groups.setdefault(each.task, []).append(each)
    return {**{task: scores(group) for task, group in groups.items()}, OVERALL: scores(played)}
