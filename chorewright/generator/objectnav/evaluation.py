"""Agents measured on ObjectNav: success, SPL, SoftSPL and the distance that is left, by split, place and target.

SPL is success weighted by path length (Anderson et al., 2018); SoftSPL has in place of success the share of the way to
the target that the agent has put behind it (Datta et al., 2020).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from pathlib import Path

import numpy as np

from chorewright.errors import UsageError
from chorewright.files.plugins import Origin
from chorewright.generator.measuring import evaluation
from chorewright.generator.objectnav.benchmark import tasks_at
from chorewright.generator.objectnav.options import ObjectNavTrial
from chorewright.problems.household.scene import HOUSE
from chorewright.replay.games.foreign import Foreign
from chorewright.replay.objectnav import world
from chorewright.replay.objectnav.agents import NavigationAgent, RandomNavigator, Searcher, ShortestPathAgent

AGENTS: Mapping[str, Callable[[], NavigationAgent]] = {
    "random": RandomNavigator,
    "exploring": Searcher,
    "shortest-path": ShortestPathAgent,
}
"""The shipped agents by name."""


@dataclass(frozen=True, slots=True)
class NavigationScore:
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


class ObjectNavEvaluation(evaluation.Evaluation[ObjectNavTrial, NavigationScore]):
    """Let an agent find things: success, SPL, SoftSPL and the distance left, by split, place and target."""

    options = ObjectNavTrial

    def open(self, trial: ObjectNavTrial) -> evaluation.Episodes[NavigationScore]:
        """Return the accepted episodes of a dataset."""
        folder = Path(trial.dataset)
        agent, tasks = find_agent(trial.agent, Origin.PERSON), tasks_at(folder, trial.split or None)
        house = world.NavigationWorld()

        def one(index: int) -> NavigationScore:
            return play(agent, tasks[index], evaluation.random_numbers(trial.seed, index), house, trial.max_steps)

        return evaluation.Episodes(NavigationScore, len(tasks), partial(evaluation.content_of, folder, tuple), one)

    def summary(self, trial: ObjectNavTrial, scores: Sequence[NavigationScore], columns: int) -> evaluation.Summary:
        """Return the scores by split, by place and by target."""
        groups = by_group(scores)
        told = {"folder": trial.dataset, "agent": trial.agent, "split": trial.split or None, "seed": trial.seed}
        return evaluation.Summary({**told, "max_steps": trial.max_steps, "results": groups}, (_sheet(groups),))


def find_agent(name: str, origin: Origin = Origin.FILE) -> NavigationAgent:
    """Return an agent by its name, or by ``module:attribute`` if a person typed it.

    Raises:
        UsageError: There is no such agent.
    """
    return evaluation.find_agent(name, AGENTS, _Foreign, origin)


class _Foreign(Foreign[world.NavigationTask]):
    """A user's agent: what it answers is one of the actions."""

    def __init__(self, name: str, agent: NavigationAgent) -> None:
        super().__init__(name, agent, lambda task: task.name)
        self._agent = agent

    def act(self, observation: world.NavigationObservation) -> str:
        action = self.heard(lambda: self._agent.act(observation))
        if action not in world.ACTIONS:
            hint = f"actions: {', '.join(world.ACTIONS)}"
            raise UsageError(f"the agent {self.name!r} answers {action!r:.40}, which is no action", hint=hint)
        return str(action)


def play(
    agent: NavigationAgent,
    task: world.NavigationTask,
    rng: np.random.Generator,
    house: world.NavigationWorld,
    max_steps: int = world.MOST_STEPS,
) -> NavigationScore:
    """Let an agent play an episode until it says that it is done, or so many actions were given."""
    observation = house.reset(task)
    agent.begin(task, rng)
    while not house.done and house.steps < max_steps:
        observation = house.step(agent.act(observation))
    place = HOUSE if task.scene.building is not None else task.scene.room_kind
    walked = house.walked
    ended = (task.name, task.split, place, task.target, house.success, task.shortest, walked)
    return NavigationScore(*ended, left=house.left(), steps=house.steps)


def means(group: Sequence[NavigationScore]) -> dict[str, float]:
    """Return what a group of episodes came to: shares from 0 to 1, metres and actions."""
    return {
        "episodes": len(group),
        "success": evaluation.mean(each.success for each in group),
        "spl": evaluation.mean(each.success * each.weight for each in group),
        "soft_spl": evaluation.mean(each.progress * each.weight for each in group),
        "left": evaluation.mean(each.left for each in group),
        "steps": evaluation.mean(each.steps for each in group),
    }


def by_group(scores: Sequence[NavigationScore]) -> dict[str, dict[str, dict[str, float]]]:
    """Return the means by split, by place and by target, and of all episodes."""
    groups: dict[str, dict[str, dict[str, float]]] = {}
    for what in ("split", "place", "target"):
        several = evaluation.group_by(scores, attrgetter(what))
        groups[what] = {name: means(group) for name, group in several.items()}
    return {**groups, evaluation.OVERALL: {evaluation.OVERALL: means(scores)}}


def _sheet(groups: Mapping[str, Mapping[str, Mapping[str, float]]]) -> evaluation.Sheet:
    rows: list[Sequence[str] | None] = []
    for several in groups.values():
        rows.append(None)
        for name, each in several.items():
            figures = (f"{each['spl']:.3f}", f"{each['soft_spl']:.3f}", f"{each['left']:.2f}", f"{each['steps']:.1f}")
            rows.append((name, str(each["episodes"]), f"{100 * each['success']:.1f}", *figures))
    caption = "SPL: success weighted by path length; left: metres of a shortest path from where the agent ended"
    return evaluation.Sheet(("", "episodes", "success %", "SPL", "SoftSPL", "left m", "actions"), rows, caption=caption)
