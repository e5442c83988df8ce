"""Agents measured on text games: success, goal conditions, and both weighted by the expert's path."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from chorewright.files.plugins import Origin
from chorewright.generator.alfred.games import games_at
from chorewright.generator.alfred.options import AlfredTrial
from chorewright.generator.measuring import evaluation
from chorewright.generator.measuring.evaluation import (
    OVERALL,
    Episodes,
    Evaluation,
    Sheet,
    Summary,
    content_of,
    group_by,
    mean,
    random_numbers,
)
from chorewright.replay.alfred.agents import ExploringAgent, GameAgent, PlannerAgent, RandomAgent
from chorewright.replay.alfred.environment import MOST_STEPS
from chorewright.replay.alfred.game import Game
from chorewright.replay.alfred.play import LONGEST, TextGame
from chorewright.replay.alfred.reading import GameFiles
from chorewright.replay.games.foreign import ForeignTextAgent

AGENTS: Mapping[str, Callable[[], GameAgent]] = {
    "random": RandomAgent,
    "exploring": ExploringAgent,
    "planner": PlannerAgent,
}
"""The shipped agents by name."""


@dataclass(frozen=True, slots=True)
class GameScore:
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


class AlfredEvaluation(Evaluation[AlfredTrial, GameScore]):
    """Let an agent play text games: success, goal conditions, and both weighted by path, by task type."""

    options = AlfredTrial

    def open(self, trial: AlfredTrial) -> Episodes[GameScore]:
        """Return the games of a dataset or of files."""
        folder = Path(trial.dataset)
        agent, games = find_agent(trial.agent, Origin.PERSON), games_at(folder, trial.split or None)
        content = partial(content_of, folder, lambda: games.paths if isinstance(games, GameFiles) else ())

        def play(index: int) -> GameScore:
            return play_game(agent, games[index], random_numbers(trial.seed, index), trial.max_steps)

        return Episodes(GameScore, len(games), content, play)

    def summary(self, trial: AlfredTrial, scores: Sequence[GameScore], columns: int) -> Summary:
        """Return the scores by task type."""
        tasks = by_task(scores)
        told = {"folder": trial.dataset, "agent": trial.agent, "split": trial.split or None, "seed": trial.seed}
        return Summary({**told, "max_steps": trial.max_steps, "results": tasks}, (_sheet(tasks),))


def find_agent(name: str, origin: Origin = Origin.FILE) -> GameAgent:
    """Return an agent by its name, or by ``module:attribute`` if a person typed it.

    Raises:
        UsageError: There is no such agent.
    """
    return evaluation.find_agent(name, AGENTS, _foreign, origin)


def _foreign(name: str, agent: GameAgent) -> GameAgent:
    return ForeignTextAgent(name, agent, lambda play: play.game.name)


def play_game(agent: GameAgent, game: Game, rng: np.random.Generator, max_steps: int = MOST_STEPS) -> GameScore:
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
    return GameScore(game.name, game.task, play.won, sum(met), len(met), len(said), expert_steps, commands)


def by_task(scores: Sequence[GameScore]) -> dict[str, dict[str, float]]:
    """Return ALFRED's SR, GC and their path-weighted forms, from 0 to 1, of each task type and of all games."""
    groups = {**group_by(scores, lambda each: each.task), OVERALL: list(scores)}
    return {name: _means(group) for name, group in groups.items()}


def _means(group: Sequence[GameScore]) -> dict[str, float]:
    conditions = sum(each.of for each in group)
    return {
        "games": len(group),
        "success": mean(each.won for each in group),
        "weighted_success": mean(each.won * each.weight for each in group),
        "conditions": sum(each.conditions for each in group) / conditions,
        "weighted_conditions": sum(each.conditions * each.weight for each in group) / conditions,
        "steps": mean(each.steps for each in group),
    }


def _sheet(tasks: Mapping[str, Mapping[str, float]]) -> Sheet:
    rows = [
        (
            task,
            str(each["games"]),
            f"{100 * each['success']:.1f} ({100 * each['weighted_success']:.1f})",
            f"{100 * each['conditions']:.1f} ({100 * each['weighted_conditions']:.1f})",
            f"{each['steps']:.1f}",
        )
        for task, each in tasks.items()
    ]
    caption = "in brackets: weighted by path (the expert's commands by those given)"
    return Sheet(("task", "games", "success %", "goal conditions %", "commands"), rows, caption=caption)
