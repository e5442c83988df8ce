"""Agents measured on HandMeThat: score, success and moves by level, beside the paper's (Tables 2, 3, 5 and 6)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib import resources
from pathlib import Path

import numpy as np

from chorewright.errors import InputError, Location, UsageError
from chorewright.files.lazily import ReadSequence
from chorewright.files.plugins import Origin
from chorewright.generator.dataset.store.dataset import Dataset, dataset_at
from chorewright.generator.dataset.store.manifest import MANIFEST
from chorewright.generator.handmethat.assignment import HandMeThatTrial, config_templates, version_of
from chorewright.generator.handmethat.benchmark import sample_task
from chorewright.generator.handmethat.stored_task import task_of
from chorewright.generator.handmethat.trajectory import rules_of
from chorewright.generator.measuring import evaluation
from chorewright.problems.handmethat.states import DOMAIN
from chorewright.replay.games.foreign import ForeignTextAgent, RandomTextAgent
from chorewright.replay.handmethat import agents
from chorewright.replay.handmethat.environment import Tasks
from chorewright.replay.handmethat.expert import infer
from chorewright.replay.handmethat.reference import file_tasks, reference_files
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.replay.handmethat.world import PAPER, GameRules, TextWorld
from chorewright.rsa.handmethat.goal_inference import EpisodeRules
from chorewright.rsa.handmethat.meanings import Quest

# Where HandMeThat's tasks come from: stored datasets, the reference's files, or made on the fly.


def tasks_at(path: Path, split: str | None = None) -> ReadSequence[HandMeThatTask]:
    """Return the tasks of a dataset, of one of the reference's files, or of a folder of these.

    Args:
        path: The dataset or files.
        split: Only the episodes of this split of a dataset.

    Raises:
        UsageError: There is nothing at the path, or files are to have a split.
        InputError: There are none.
        DatasetCorrupt: The dataset is damaged, or not finished.
    """
    dataset = dataset_at(path, split)
    if dataset is None:
        if split is not None:
            raise UsageError("the reference's files have no splits", location=Location(str(path)))
        return file_tasks(path)
    if not len(dataset):
        where = "" if split is None else f" of the split {split}"
        raise InputError(f"the dataset has no accepted episode{where}", location=Location(str(path)))
    return ReadSequence(len(dataset), lambda place: task_of(dataset[place]))


def make_tasks(version: int) -> Tasks:
    """Return the function that makes tasks of a version, 1 or 2, on the fly."""

    def draw(rng: np.random.Generator) -> HandMeThatTask:
        return sample_task(rng, version=version)

    return draw


def rules_at(path: Path) -> EpisodeRules | None:
    """Return how the episodes of a dataset are made; None for the reference's files."""
    if not (path / MANIFEST).exists() or (config := Dataset(path).manifest.config).benchmark != DOMAIN:
        return None
    return replace(rules_of(version_of(config)), templates=tuple(config_templates(config).values()))


def list_agents(
    fully_observable: bool = True, rules: EpisodeRules | None = None
) -> Mapping[str, Callable[[], agents.HandMeThatAgent]]:
    """Return what makes the shipped agents, by name.

    Args:
        fully_observable: Whether all objects are seen at all times; an agent that needs to explores if not.
        rules: How the episodes were made, as far as it is known.
    """

    def looking(agent: agents.OneTrialAgent | agents.TextPlanner) -> agents.HandMeThatAgent:
        return agent if fully_observable else agents.Explorer(agent)

    return {
        "random": RandomTextAgent,
        "heuristic": lambda: looking(agents.OneTrialAgent(agents.repeat, agents.alike)),
        "planner": lambda: looking(agents.TextPlanner()),
        "inferring": lambda: looking(agents.TextPlanner(partial(infer, rules=rules))),
        "oracle": lambda: agents.OneTrialAgent(agents.meant),
    }


LEVELS = tuple(f"level {level}" for level in (1, 2, 3, 4))

ALL = "all"
"""The column of all levels together."""

_WIDE = 112
"""From this width on a cell of the table is one line."""


@dataclass(frozen=True, slots=True)
class HandMeThatScore:
    """How one episode went."""

    name: str
    level: int
    quest: str
    score: float
    won: bool
    moves: int
    questions: int


@dataclass(frozen=True, slots=True)
class Cell:
    """What a player reaches at a level.

    Attributes:
        score: The mean score; None where the paper gives none.
        success: The share of the episodes won.
        moves: The mean number of moves of those; None if none was.
    """

    score: float | None
    success: float
    moves: float | None

    def text(self, between: str) -> str:
        """Return score, success and moves; on a second line, in narrow tables, success without decimals."""
        score = "" if self.score is None else f"{self.score:.1f}{between}"
        moves = "N/A" if self.moves is None else f"{self.moves:.1f}"
        return f"{score}({100 * self.success:.{int(between == ' ')}f}%, {moves})"


@dataclass(frozen=True, slots=True)
class LevelMeans(Cell):
    """What one of our agents reaches at a level.

    Attributes:
        episodes: How many there are.
        questions: The mean number of questions.
    """

    episodes: int
    questions: float


class HandMeThatEvaluation(evaluation.Evaluation[HandMeThatTrial, HandMeThatScore]):
    """Let an agent play a dataset: score, success and moves by level, beside the paper's tables."""

    options = HandMeThatTrial

    def open(self, trial: HandMeThatTrial) -> evaluation.Episodes[HandMeThatScore]:
        """Return the tasks of a dataset, or of the reference's files."""
        folder, fully = Path(trial.dataset), not trial.partial
        tasks = tasks_at(folder, trial.split or None)
        agent = find_agent(trial.agent, fully, Origin.PERSON, rules_at(folder))
        rules = replace(PAPER, moves=trial.max_steps)

        def one(index: int) -> HandMeThatScore:
            return play(agent, tasks[index], evaluation.random_numbers(trial.seed, index), fully, rules)

        content = partial(
            evaluation.content_of, folder, lambda: reference_files(folder) if folder.is_dir() else (folder,)
        )
        return evaluation.Episodes(HandMeThatScore, len(tasks), content, one, chunk=8)

    def summary(self, trial: HandMeThatTrial, scores: Sequence[HandMeThatScore], columns: int) -> evaluation.Summary:
        """Return the scores by level, and by type of request."""
        version = trial.paper or likely_version(scores)
        levels, quests, paper = by_level(scores), by_quest(scores), paper_rows(version, not trial.partial)
        told = {
            "folder": trial.dataset,
            "agent": trial.agent,
            "seed": trial.seed,
            "fully_observable": not trial.partial,
        }
        values = {
            **told,
            "version": version,
            "results": _values(levels),
            "requests": {quest: _values(each) for quest, each in quests.items()},
            "paper": {player: _values(dict(zip(LEVELS, cells, strict=True))) for player, cells in paper.items()},
        }
        title = f"version {version}, {'partially' if trial.partial else 'fully'} observable"
        return evaluation.Summary(values, (_sheet(title, {trial.agent: levels, **quests}, paper, columns),))


def find_agent(
    name: str, fully_observable: bool = True, origin: Origin = Origin.FILE, rules: EpisodeRules | None = None
) -> agents.HandMeThatAgent:
    """Return an agent by its name, or by ``module:attribute`` if a person typed it.

    Args:
        name: The name.
        fully_observable: Whether all objects are seen at all times; an agent that needs to explores if not.
        origin: Where the name came from.
        rules: How the episodes were made, for an agent that infers the goal.

    Raises:
        UsageError: There is no such agent.
    """
    foreign = partial(ForeignTextAgent[HandMeThatTask], place=lambda task: f"episode {task.name}")
    return evaluation.find_agent(name, list_agents(fully_observable, rules), foreign, origin)


def play(
    agent: agents.HandMeThatAgent,
    task: HandMeThatTask,
    rng: np.random.Generator,
    fully_observable: bool = True,
    rules: GameRules = PAPER,
) -> HandMeThatScore:
    """Let an agent play one task to its end."""
    world = TextWorld(task, fully_observable, rules)
    observation = world.reset()
    agent.begin(task, rng)
    while not world.over:
        observation = world.step(agent.act(observation, world.admissible())).observation
    return HandMeThatScore(
        task.name, task.level, task.utterance.quest.value, world.score, world.won, world.moves, world.questions
    )


def means(scores: Sequence[HandMeThatScore]) -> LevelMeans:
    """Return what a group of episodes came to."""
    won = [each.moves for each in scores if each.won]
    return LevelMeans(
        score=evaluation.mean(each.score for each in scores),
        success=evaluation.mean(each.won for each in scores),
        moves=evaluation.mean(won) if won else None,
        episodes=len(scores),
        questions=evaluation.mean(each.questions for each in scores),
    )


def by_level(scores: Sequence[HandMeThatScore]) -> dict[str, LevelMeans]:
    """Return what was reached at each level that there is, and at all."""
    levels = evaluation.group_by(scores, lambda each: f"level {each.level}")
    return {**{name: means(group) for name, group in levels.items()}, ALL: means(scores)}


def by_quest(scores: Sequence[HandMeThatScore]) -> dict[str, dict[str, LevelMeans]]:
    """Return what was reached by level for each type of request, if there are several."""
    quests = evaluation.group_by(scores, lambda each: each.quest)
    return {quest: by_level(group) for quest, group in quests.items()} if len(quests) > 1 else {}


def paper_rows(version: int, fully_observable: bool) -> Mapping[str, tuple[Cell, ...]]:
    """Return a table of the paper: each player's results at levels 1 to 4.

    Args:
        version: 1 or 2 of the dataset.
        fully_observable: Whether all objects are seen at all times.
    """
    return _tables()[version, fully_observable]


def likely_version(scores: Iterable[HandMeThatScore]) -> int:
    """Return the version that episodes appear to be of: 2, in which things are only brought, or 1."""
    return 2 if all(each.quest == Quest.BRING_ME.value for each in scores) else 1


def _tables() -> Mapping[tuple[int, bool], Mapping[str, tuple[Cell, ...]]]:
    path = resources.files("chorewright.generator.handmethat") / "data" / "paper.json"
    document = json.loads(path.read_text("utf-8"))
    return {
        (version, seen == "fully"): {
            player: tuple(Cell(score, success / 100, moves) for score, success, moves in cells)
            for player, cells in document[str(version)][seen].items()
        }
        for version in (1, 2)
        for seen in ("fully", "partially")
    }


def _values(cells: Mapping[str, Cell]) -> dict[str, object]:
    first = {level: {"episodes": cell.episodes} for level, cell in cells.items() if isinstance(cell, LevelMeans)}
    return {level: first.get(level, {}) | asdict(cell) for level, cell in cells.items()}


def _sheet(
    title: str, ours: Mapping[str, Mapping[str, LevelMeans]], paper: Mapping[str, Sequence[Cell]], columns: int
) -> evaluation.Sheet:
    """Lay scores out as the paper does: a row for each player, a column for each level."""
    between = " " if columns >= _WIDE else "\n"
    rows: list[Sequence[str] | None] = []
    for number, (name, cells) in enumerate(ours.items()):
        every = [cells.get(level) for level in (*LEVELS, ALL)]
        rows.append((f"  {name}" if number else name, *("" if each is None else each.text(between) for each in every)))
        rows.append(("    episodes", *("" if each is None else str(each.episodes) for each in every)))
        if any(each is not None and each.questions for each in every):
            rows.append(("    questions", *("" if each is None else f"{each.questions:.2f}" for each in every)))
    rows += [None, ("The paper's", *("",) * (len(LEVELS) + 1))]
    rows += [(f"  {player}", *(cell.text(between) for cell in cells), "") for player, cells in paper.items()]
    caption = "mean score (success, mean moves of the episodes won)"
    return evaluation.Sheet(("", *LEVELS, ALL), rows, title, caption, padding=0)
