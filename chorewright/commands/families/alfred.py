"""ALFRED's verbs: ``play alfred``, text games in the terminal, and ``say``: plans, episodes, recordings in words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands.common import EpisodeChoice, find_episode
from chorewright.commands.playing import play_in_terminal
from chorewright.commands.shell import AsJson, answer, check_seed, readable, verb
from chorewright.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chorewright.generator.alfred.saying import Worded
    from chorewright.replay.alfred.game import Game


@verb
def play(
    seed: int = 0,
    task: list[str] | None = None,
    scenes: Annotated[list[str] | None, typer.Option("--scenes", "--scene", metavar="ROOM|FILE")] = None,
    game: Path | None = None,
    episode: EpisodeChoice = None,
) -> None:
    """Play one text game in the terminal: you are the robot. Exit code 0 if you win, else 1.

    Args:
        seed: Another seed, another game.
        task: Only games of this task; may be repeated.
        scenes: Only in these: rooms, houses (house:7), or files of yours.
        game: A game file (game.tw-pddl).
    """
    from chorewright.replay.alfred.play import TextGame

    playing = TextGame(_game(seed, task or [], scenes or [], game, episode), reasons=True, spellings=True)
    best = len(playing.game.walkthrough or ())

    def ending(steps: int) -> str:
        return f"{'Won' if playing.won else 'Not won'} after {steps} commands; the expert takes {best}."

    play_in_terminal(playing, ending)


def _game(seed: int, tasks: list[str], scenes: list[str], game: Path | None, episode: tuple[Path, int] | None) -> Game:
    """Return the game that was asked for."""
    if sum((bool(tasks or scenes), game is not None, episode is not None)) > 1:
        raise UsageError("only one of --task (or --scenes), --game and --episode can be given")
    check_seed(seed)
    if game is not None:
        from chorewright.replay.alfred.reading import read_game

        return read_game(game)
    if episode is not None:
        from chorewright.generator.alfred.games import game_of

        return game_of(find_episode("alfred", episode))
    import numpy as np

    from chorewright.generator.alfred.drawing import make_games

    return make_games(tasks, scenes)(np.random.default_rng(seed))


# The verb that words what is already there: a plan, a stored episode, a recorded demonstration.


@verb
def say(
    source: Path,
    episode: Annotated[int | None, typer.Argument()] = None,
    task: str | None = None,
    slot: Annotated[list[str] | None, typer.Option("--slot", metavar="SLOT=KIND")] = None,
    scene: str | None = None,
    scene_seed: int = 0,
    seed: int = 0,
    annotators: Annotated[int, typer.Option("--annotators", min=1, max=20)] = 3,
    as_json: AsJson = False,
) -> None:
    """Say a plan, a stored episode or a recorded demonstration in English: its goal, and a sentence a subgoal.

    A plan file is said with the options that `compile` made its problem with.

    Args:
        source: A dataset's folder, a recorded demonstration (traj_data.json), or a plan file.
        episode: Of a dataset: an episode's index; without it, all.
        task: Of a plan: its task, as compile took it.
        slot: Of a plan: as compile took it.
        scene: Of a plan: its room, as compile took it.
        scene_seed: Of a plan: compile's --seed.
        seed: Other words for another number.
        annotators: How many annotators speak.
    """
    from chorewright.generator.alfred.saying import say_dataset, say_plan, say_recording

    check_seed(seed)
    check_seed(scene_seed, "scene seed")
    of_plan = task is not None or bool(slot) or scene is not None or scene_seed != 0
    if not source.exists():
        readable(source)
    if episode is not None and not source.is_dir():
        raise UsageError(f"{source} is no dataset: there is no episode {episode} in it")
    found: Sequence[Worded]
    if source.is_dir() or source.suffix == ".json":
        if of_plan:
            raise UsageError("--task, --slot, --scene and --scene-seed are for plan files", hint="leave them out")
        if source.is_dir():
            found = say_dataset(source, episode, seed, annotators)
        else:
            found = [say_recording(readable(source), seed, annotators)]
    else:
        if task is None:
            raise UsageError("a plan file needs its task", hint="write --task, --slot and --scene as for compile")
        found = [say_plan(readable(source), task, slot or [], scene, scene_seed, seed, annotators)]
    answer(as_json, [each.record() for each in found], *(each.text() for each in found))
