"""Text games of ALFRED's episodes, from datasets and files or drawn: told as conversations, and played by agents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from chorewright.domains.pddl.parser import parse_formula
from chorewright.errors import InputError, Location
from chorewright.files.lazily import LazySequence
from chorewright.files.plugins import Origin
from chorewright.generator.alfred.demonstration import slots
from chorewright.generator.alfred.options import AlfredTrial
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset, dataset_at
from chorewright.generator.household.spawning import room_of
from chorewright.generator.measuring import evaluation
from chorewright.generator.training.chat import ASSISTANT, SYSTEM, USER, ChatStyle, Message
from chorewright.problems.household.kinds import Kinds
from chorewright.replay.alfred.agents import ExploringAgent, GameAgent, PlannerAgent, tell_aim, thought
from chorewright.replay.alfred.batches import MOST_STEPS
from chorewright.replay.alfred.game import Game, load_forms
from chorewright.replay.alfred.play import LONGEST, TextGame
from chorewright.replay.alfred.reading import GameFiles, game_files
from chorewright.replay.alfred.scenes import Slots, own_game, scene_game
from chorewright.replay.games.foreign import ForeignTextAgent, RandomTextAgent


def game_of(episode: Episode, *, strict: bool = False, extended: bool | None = None) -> Game:
    """Return the text game of a stored episode; see ``scene_game`` and ``own_game``.

    Raises:
        UnsupportedError: Games have no word for something that its task asks for.
    """
    room = room_of(episode)
    filled = fill_slots(episode.task, episode.parameters, room.kinds)
    name = f"{episode.benchmark}-{episode.seed}-{episode.index}"
    if filled.task in load_forms().goals:
        return scene_game(room, filled, name, strict=strict, extended=extended)
    said = next((each.text for each in episode.instructions if each.level == "goal"), episode.task)
    goal = parse_formula(episode.goal, room.kinds.domain)
    return own_game(room, episode.task, goal, said, name, strict=strict)


def fill_slots(task: str, parameters: tuple[tuple[str, str], ...], kinds: Kinds) -> Slots:
    """Return what fills the slots of a task, by its parameters."""
    found = slots(parameters, kinds)
    name = task.rsplit("/", 1)[-1].replace("-", "_")
    return Slots(name, *(found.get(slot, "") for slot in ("object", "receptacle", "movable", "lamp")))


def games_of(dataset: Dataset) -> Sequence[Game]:
    """Return the text games of a dataset's accepted episodes; each is made when it is first asked for, and kept."""
    return LazySequence(dataset, game_of)


def games_at(path: Path, split: str | None = None) -> Sequence[Game]:
    """Return the games of a dataset, of one game file or of a folder of these.

    Args:
        path: The dataset or files.
        split: Only this split: a dataset's, or a folder that game files lie below.

    Raises:
        UsageError: There is nothing at the path.
        InputError: There are no games.
        DatasetCorrupt: The dataset is damaged, or not finished.
    """
    found: Sequence[Game]
    if (dataset := dataset_at(path, split)) is not None:
        found = games_of(dataset)
    else:
        paths = game_files(path)
        found = GameFiles([each for each in paths if split is None or split in Path(each).parts])
        if paths and not len(found):
            folders = sorted({_split_of(Path(each).relative_to(path)) for each in paths} - {""})
            hint = f"there are games of {', '.join(folders)}" if folders else None
            raise InputError(f"there are no text games of {split!r}", location=Location(str(path)), hint=hint)
    if not len(found):
        raise InputError("there are no text games", location=Location(str(path)))
    return found


def _split_of(path: Path) -> str:
    """Return the folder of a split in ALFWorld's layout, or the first folder; empty if there is none."""
    folders = [part for part in path.parent.parts if not part.startswith("json_")]
    return folders[0] if folders else ""


# ALFRED's episodes as conversations: the text game of each, played by the expert or by an agent that explores.


MOST_COMMANDS = 100
"""Steps after which nothing goes astray any more."""


class AlfredConversations:
    """Tells episodes as text games; see ``Conversations``."""

    def conversation(self, episode: Episode, style: ChatStyle) -> tuple[Message, ...]:
        """Return an episode's messages; see ``Conversations.conversation``."""
        game = game_of(episode)
        if style.annotated:
            game = replace(game, sentence=_annotate(episode))
        if style.exploring:
            return exploring_messages(game, style, style.random_for(episode))
        return play_messages(game, style, style.random_for(episode))


def _annotate(episode: Episode) -> str:
    """Return what an annotator says of the goal, without its full stop."""
    told = [line.text for line in episode.instructions if line.level == "goal"]
    return told[episode.index % len(told)].rstrip(".")


def play_messages(game: Game, style: ChatStyle, rng: np.random.Generator) -> tuple[Message, ...]:
    """Return what is said while the expert wins a game; nothing if it cannot be won."""
    play = TextGame(game)
    expert = play.expert()
    messages, observation, steps = _begin(play), play.reset(), 0
    while not play.won:
        plan = expert.commands()
        if not plan:
            return ()
        messages.append(_heard(play, observation, style))
        astray = steps < MOST_COMMANDS and rng.random() < style.noise
        command = _wrong_turn(play, plan[0], rng) if astray else plan[0]
        said = f"{thought(play, expert)}\n" if style.thoughts and not astray else ""
        messages.append(Message(ASSISTANT, said + command, astray))
        turn = play.step(command)
        expert.follow(turn.action)
        observation = turn.observation
        steps += 1
    return tuple(messages)


def exploring_messages(game: Game, style: ChatStyle, rng: np.random.Generator) -> tuple[Message, ...]:
    """Return what is said while an agent wins a game that finds out where things are; nothing if it does not win."""
    play, agent = TextGame(game), ExploringAgent()
    messages, observation = _begin(play), play.reset()
    agent.begin(play, rng)
    while not play.won:
        command = agent.act(observation, play.admissible())
        if agent.lost:
            return ()
        messages.append(_heard(play, observation, style))
        said = f"{tell_aim(play, agent.aim, command)}\n" if style.thoughts else ""
        messages.append(Message(ASSISTANT, said + command))
        observation = play.step(command).observation
    return tuple(messages)


def _begin(play: TextGame) -> list[Message]:
    forms = play.game.forms
    commands = play.game.help or forms.sentences["help"] + forms.help_extended * play.game.extended
    return [Message(SYSTEM, forms.chat["system"].format(commands=commands.strip()))]


def _heard(play: TextGame, observation: str, style: ChatStyle) -> Message:
    """Return what the world tells: at the start without the engine's welcome."""
    listed = "\n".join(play.admissible())
    shown = play.game.forms.chat["admissible"].format(commands=listed) if style.admissible else ""
    welcome = play.game.forms.sentences["welcome"]
    return Message(USER, observation.removeprefix(f"{welcome}\n\n") + shown)


def _wrong_turn(play: TextGame, right: str, rng: np.random.Generator) -> str:
    """Return a random admissible command that is neither the expert's nor asks for help."""
    others = [command for command in play.admissible() if command not in (right, "help")]
    return others[int(rng.integers(len(others)))]


# Agents measured on text games: success, goal conditions, and both weighted by the expert's path.


AGENTS: Mapping[str, Callable[[], GameAgent]] = {
    "random": RandomTextAgent,
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


class AlfredEvaluation(evaluation.Evaluation[AlfredTrial, GameScore]):
    """Let an agent play text games: success, goal conditions, and both weighted by path, by task type."""

    options = AlfredTrial

    def open(self, trial: AlfredTrial) -> evaluation.Episodes[GameScore]:
        """Return the games of a dataset or of files."""
        folder = Path(trial.dataset)
        agent, games = find_agent(trial.agent, Origin.PERSON), games_at(folder, trial.split or None)
        content = partial(evaluation.content_of, folder, lambda: games.paths if isinstance(games, GameFiles) else ())

        def play(index: int) -> GameScore:
            return play_game(agent, games[index], evaluation.random_numbers(trial.seed, index), trial.max_steps)

        return evaluation.Episodes(GameScore, len(games), content, play)

    def summary(self, trial: AlfredTrial, scores: Sequence[GameScore], columns: int) -> evaluation.Summary:
        """Return the scores by task type."""
        tasks = by_task(scores)
        told = {"folder": trial.dataset, "agent": trial.agent, "split": trial.split or None, "seed": trial.seed}
        return evaluation.Summary({**told, "max_steps": trial.max_steps, "results": tasks}, (_sheet(tasks),))


def find_agent(name: str, origin: Origin = Origin.FILE) -> GameAgent:
    """Return an agent by its name, or by ``module:attribute`` if a person typed it.

    Raises:
        UsageError: There is no such agent.
    """
    foreign = partial(ForeignTextAgent[TextGame], place=lambda play: play.game.name)
    return evaluation.find_agent(name, AGENTS, foreign, origin)


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
    groups = {**evaluation.group_by(scores, lambda each: each.task), evaluation.OVERALL: list(scores)}
    return {name: _means(group) for name, group in groups.items()}


def _means(group: Sequence[GameScore]) -> dict[str, float]:
    conditions = sum(each.of for each in group)
    return {
        "games": len(group),
        "success": evaluation.mean(each.won for each in group),
        "weighted_success": evaluation.mean(each.won * each.weight for each in group),
        "conditions": sum(each.conditions for each in group) / conditions,
        "weighted_conditions": sum(each.conditions * each.weight for each in group) / conditions,
        "steps": evaluation.mean(each.steps for each in group),
    }


def _sheet(tasks: Mapping[str, Mapping[str, float]]) -> evaluation.Sheet:
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
    return evaluation.Sheet(("task", "games", "success %", "goal conditions %", "commands"), rows, caption=caption)
