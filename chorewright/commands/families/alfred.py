"""ALFRED's verbs: ``play alfred``, text games in the terminal, and ``say``: plans, episodes, recordings in words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands.common import EpisodeChoice
from chorewright.commands.playing import play_in_terminal
from chorewright.commands.shell import AsJson, answer, check_seed, readable, verb
from chorewright.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chorewright.generator.alfred.saying import Worded
    from chorewright.replay.alfred.game import Game


@verb
def play(
    seed: Annotated[int, typer.Option("--seed", help="Another seed, another game.")] = 0,
    task: Annotated[list[str] | None, typer.Option("--task", help="Only games of this task; may be repeated.")] = None,
    scenes: Annotated[
        list[str] | None,
        typer.Option(
            "--scenes",
            "--scene",
            metavar="ROOM|FILE",
            help="Only in these: rooms, houses (house:7), or files of yours.",
        ),
    ] = None,
    game: Annotated[Path | None, typer.Option("--game", help="A game file (game.tw-pddl).")] = None,
    episode: EpisodeChoice = None,
) -> None:
    """Play one text game in the terminal: you are the robot. Exit code 0 if you win, else 1."""
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
        from chorewright.generator.dataset.store.dataset import Dataset

        return game_of(Dataset(episode[0]).episode(episode[1]))
    import numpy as np

    from chorewright.generator.alfred.drawing import make_games

    return make_games(tasks, scenes)(np.random.default_rng(seed))


# The verb that words what is already there: a plan, a stored episode, a recorded demonstration.


@verb
def say(
    source: Annotated[
        Path, typer.Argument(help="A dataset's folder, a recorded demonstration (traj_data.json), or a plan file.")
    ],
    episode: Annotated[int | None, typer.Argument(help="Of a dataset: an episode's index; without it, all.")] = None,
    task: Annotated[str | None, typer.Option("--task", help="Of a plan: its task, as compile took it.")] = None,
    slot: Annotated[
        list[str] | None, typer.Option("--slot", metavar="SLOT=KIND", help="Of a plan: as compile took it.")
    ] = None,
    scene: Annotated[str | None, typer.Option("--scene", help="Of a plan: its room, as compile took it.")] = None,
    scene_seed: Annotated[int, typer.Option("--scene-seed", help="Of a plan: compile's --seed.")] = 0,
    seed: Annotated[int, typer.Option("--seed", help="Other words for another number.")] = 0,
    annotators: Annotated[int, typer.Option("--annotators", min=1, max=20, help="How many annotators speak.")] = 3,
    as_json: AsJson = False,
) -> None:
    """Say a plan, a stored episode or a recorded demonstration in English: its goal, and a sentence a subgoal.

    A plan file is said with the options that `compile` made its problem with.
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
