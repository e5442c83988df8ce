"""HandMeThat as tasks for language models: a request that has to be understood, and then done."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, repeat
from typing import Any, ClassVar

from chorewright.domains.handmethat.object_space import category_of
from chorewright.errors import UsageError
from chorewright.files.lazily import Remembered
from chorewright.generator.handmethat.assignment import sample_candidates
from chorewright.generator.handmethat.benchmark import Occasion
from chorewright.generator.handmethat.trajectory import WrongLevels
from chorewright.generator.production.attempts import Rejection
from chorewright.generator.rewards.drawing import SPLITS, random_numbers, split_of
from chorewright.generator.rewards.playing import GameKind
from chorewright.generator.rewards.task import Facts, RewardTask, Score, check_choice
from chorewright.planner.cost_to_go.costs_to_go import SATISFICING
from chorewright.replay.games.engine import Play
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.replay.handmethat.world import TextStage, TextWorld

ROUND = 32
"""So many tasks of successive numbers are made together: to plan for the human takes longer than to ask."""

DRAWS = 256
"""So many requests are drawn on an occasion, to find different ones."""

MOST_KEPT = 64
"""Rounds."""


def _round(version: int, split: str, seed: int, number: int) -> list[tuple[HandMeThatTask, TextStage]]:
    """Return the tasks of a round, in any order: of each occasion as many as there are different requests.

    The numbers of its objects say which split a scene is of: rooms that are alike are in one.
    """
    rng = random_numbers("clarify", version, split, seed, number)
    made: list[tuple[HandMeThatTask, TextStage]] = []
    for candidate in sample_candidates(rng, version, SATISFICING):
        occasion = Occasion.of(candidate, fits=lambda names: split_of(repr(sorted(map(category_of, names)))) == split)
        if isinstance(occasion, Rejection):
            continue
        asked = (each[0] for each in occasion.ask(DRAWS) if not isinstance(each, WrongLevels))
        requests = list(islice(asked, ROUND - len(made)))
        made += zip(requests, repeat(TextStage(requests[0].scene))) if requests else ()
        if len(made) == ROUND:
            return [made[int(each)] for each in rng.permutation(ROUND)]
    raise AssertionError


class DrawnTasks:
    """HandMeThat's tasks by what they were drawn with; the last ones are kept, so that a judge draws none again."""

    def __init__(self) -> None:
        self._rounds: Remembered[list[tuple[HandMeThatTask, TextStage]]] = Remembered(MOST_KEPT)

    def task(self, facts: Facts) -> tuple[HandMeThatTask, TextStage]:
        """Return the task with some facts, and its scene, made ready."""
        number, place = divmod(facts["index"], ROUND)
        about = facts["version"], facts["split"], facts["seed"], number
        return self._rounds.of(self, about, lambda: _round(*about))[int(place)]


TASKS = DrawnTasks()


@dataclass(frozen=True, kw_only=True)
class ClarifyKind(GameKind):
    """Find out what a request means, perhaps by questions, and do it.

    Attributes:
        version: 1 for all goals and types of requests, 2 for things to bring.
        split: ``train`` or ``eval``.
    """

    name: ClassVar[str] = "clarify"
    version: int = 2
    split: str = "train"

    def __post_init__(self) -> None:
        check_choice("split", self.split, SPLITS)
        if self.version not in (1, 2):
            raise UsageError(f"there is no version {self.version!r} of HandMeThat", hint="versions: 1, 2")

    def task(self, seed: int, index: int) -> RewardTask:
        facts: dict[str, Any] = {"seed": seed, "index": index, "version": self.version, "split": self.split}
        play = self.open(facts)
        commands = play.game.demonstration
        for command in commands:
            play.step(command)
        assert play.won
        facts["score"] = play.score
        more = {"objects": len(play.game.scene.entities), "level": play.game.level}
        return self.game_task(f"version-{self.version}", self.split, play, commands, facts, **more)

    def open(self, facts: Facts) -> TextWorld:
        task, stage = TASKS.task(facts)
        return TextWorld(task, stage=stage)

    def judge(self, facts: Facts, play: Play[Any, Any], commands: int) -> Score:
        assert isinstance(play, TextWorld)
        parts = {"won": float(play.won), "score": play.score, "questions": play.questions, "commands": commands}
        if not play.won:
            return Score(0.0, parts, "What was meant is not done.")
        reward = max(0.5, min(1.0, play.score / facts["score"])) if facts["score"] > 0 else 1.0
        return Score(reward, parts, f"What was meant is done, with a score of {play.score:g}.")
