"""Agents measured on ObjectNav: success, SPL, SoftSPL and the distance that is left, by split, place and target.

SPL is success weighted by path length (Anderson et al., 2018); SoftSPL has in place of success the share of the way to
the target that the agent has put behind it (Datta et al., 2020).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from chorewright.errors import UsageError
from chorewright.files.plugins import Origin, make
from chorewright.problems.household.scene import HOUSE
from chorewright.replay.games.foreign import Foreign
from chorewright.replay.objectnav.agents import Agent, RandomAgent, ShortestPathAgent
from chorewright.replay.objectnav.exploring import ExploringAgent
from chorewright.replay.objectnav.task import ACTIONS, MOST_STEPS, NavigationTask
from chorewright.replay.objectnav.world import NavigationWorld, Observation

AGENTS: Mapping[str, Callable[[], Agent]] = {
    "random": RandomAgent,
    "exploring": ExploringAgent,
    "shortest-path": ShortestPathAgent,
}
"""The shipped agents by name."""

OVERALL = "overall"


@dataclass(frozen=True, slots=True)
class Played:
    """How one episode went.

    Attributes:
        name: Which one.
        split: The split of its scene.
        place: What the scene is: a kind of room, or a house.
        target: The kind of thing to find.
        success: Whether the agent ended it where a target was visible.
        shortest: Metres of a shortest path.
        walked: Metres that the agent walked.
        left: Metres of a shortest path from where it ended.
        steps: Actions.
    """

    name: str
    split: str
    place: str
    target: str
    success: bool
    shortest: float
    walked: float
    left: float
    steps: int

    @property
    def weight(self) -> float:
        """The shortest path by the one that was walked, at most 1."""
        return self.shortest / max(self.walked, self.shortest)

    @property
    def progress(self) -> float:
        """The share of the shortest path that the agent has put behind it, from 0 to 1."""
        return max(0.0, 1.0 - self.left / self.shortest)


@dataclass(frozen=True, slots=True)
class Scores:
    """What a group of episodes came to.

    Attributes:
        episodes: How many there are.
        success: The share of successes.
        spl: The same weighted by path length.
        soft_spl: Progress weighted by path length.
        left: The mean distance to a target at the end, in metres.
        steps: The mean number of actions.
    """

    episodes: int
    success: float
    spl: float
    soft_spl: float
    left: float
    steps: float


def find_agent(name: str, origin: Origin = Origin.FILE) -> Agent:
    """Return an agent by its name, or by ``module:attribute`` if a person typed it.

    Raises:
        UsageError: There is no such agent.
    """
    if name in AGENTS:
        return AGENTS[name]()
    hint = f"agents: {', '.join(AGENTS)}; or module:attribute for one of your own"
    return _Foreign(name, cast(Agent, make(name, "agent", origin, ("begin", "act"), hint)))


class _Foreign(Foreign[NavigationTask]):
    """A user's agent: what it answers is one of the actions."""

    def __init__(self, name: str, agent: Agent) -> None:
        super().__init__(name, agent, lambda task: task.name)
        self._agent = agent

    def act(self, observation: Observation) -> str:
        action = self.heard(lambda: self._agent.act(observation))
        if action not in ACTIONS:
            hint = f"actions: {', '.join(ACTIONS)}"
            raise UsageError(f"the agent {self.name!r} answers {action!r:.40}, which is no action", hint=hint)
        return str(action)


def play(
    agent: Agent, task: NavigationTask, rng: np.random.Generator, world: NavigationWorld, max_steps: int = MOST_STEPS
) -> Played:
    """Let an agent play an episode until it says that it is done, or so many actions were given."""
    observation = world.reset(task)
    agent.begin(task, rng)
    while not world.done and world.steps < max_steps:
        observation = world.step(agent.act(observation))
    place = HOUSE if task.scene.building is not None else task.scene.room_kind
    walked = world.walked
    ended = (task.name, task.split, place, task.target, world.success, task.shortest, walked)
    return Played(*ended, left=world.left(), steps=world.steps)


def scores(played: Iterable[Played]) -> Scores:
    """Return what a group of episodes came to, at least one."""
    every = list(played)
    return Scores(
        len(every),
        _mean(float(each.success) for each in every),
        _mean(each.success * each.weight for each in every),
        _mean(each.progress * each.weight for each in every),
        _mean(each.left for each in every),
        _mean(float(each.steps) for each in every),
    )


def _mean(values: Iterable[float]) -> float:
    every = list(values)
    return sum(every) / len(every)


def by_group(played: Sequence[Played]) -> dict[str, dict[str, Scores]]:
    """Return the scores by split, by place and by target, and of all episodes."""
    found: dict[str, dict[str, Scores]] = {}
    for what in ("split", "place", "target"):
        groups: dict[str, list[Played]] = {}
        for each in played:
            groups.setdefault(getattr(each, what), []).append(each)
        found[what] = {name: scores(groups[name]) for name in sorted(groups)}
    return {**found, OVERALL: {OVERALL: scores(played)}}
