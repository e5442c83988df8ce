"""The verb that lets a person play ALFRED's text games in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands.playing import play_in_terminal
from chorewright.commands.shell import verb
from chorewright.errors import UsageError

if TYPE_CHECKING:
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
    episode: Annotated[
        tuple[Path, int] | None,
        typer.Option("--episode", metavar="DIR INDEX", help="An episode of a dataset, by its index."),
    ] = None,
) -> None:
    """Play one text game in the terminal: you are the robot. Exit code 0 if you win, else 1."""
    from chorewright.replay.alfred.play import TextGame

    playing = TextGame(_game(seed, task or [], scenes or [], game, episode), reasons=True)
    best = len(playing.game.walkthrough or ())

    def ending(steps: int) -> str:
        return f"{'Won' if playing.won else 'Not won'} after {steps} commands; the expert takes {best}."

    play_in_terminal(playing, ending)


def _game(seed: int, tasks: list[str], scenes: list[str], game: Path | None, episode: tuple[Path, int] | None) -> Game:
    """Return the game that was asked for."""
    if sum((bool(tasks or scenes), game is not None, episode is not None)) > 1:
        raise UsageError("only one of --task (or --scenes), --game and --episode can be given")
    if seed < 0:
        raise UsageError(f"the seed must not be negative, but is {seed}")
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
