"""The verb that lets a person carry out an activity of BEHAVIOR in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands.playing import play_problem
from chorewright.commands.shell import verb
from chorewright.errors import UsageError

if TYPE_CHECKING:
    from chorewright.replay.games.game import PddlGame


@verb
def play(
    activity: Annotated[
        str | None,
        typer.Argument(help="A name (1k/NAME, 100/NAME), or a .bddl file; without it, one of BEHAVIOR-1K is drawn."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Another seed, another activity, other distractors.")] = 0,
    hands: Annotated[int, typer.Option("--hands", min=1, max=2, help="How many things you can hold.")] = 1,
    distractors: Annotated[
        int, typer.Option("--distractors", min=0, max=50, help="How many things lie about that nobody asks for.")
    ] = 0,
    episode: Annotated[
        tuple[Path, int] | None,
        typer.Option("--episode", metavar="DIR INDEX", help="An episode of a dataset, by its index."),
    ] = None,
) -> None:
    """Carry out an activity as a text game: you are the robot. Exit code 0 if you reach the goal, else 1."""
    play_problem(_game(activity, seed, hands, distractors, episode))


def _game(activity: str | None, seed: int, hands: int, distractors: int, episode: tuple[Path, int] | None) -> PddlGame:
    """Return the game that was asked for."""
    import numpy as np

    from chorewright.generator.behavior.world import activity_game, draw_games, find_activity, read_game_of_episode

    if activity is not None and episode is not None:
        raise UsageError("only one of an activity and --episode can be given")
    if seed < 0:
        raise UsageError(f"the seed must not be negative, but is {seed}")
    if episode is not None:
        from chorewright.generator.dataset.store.dataset import Dataset

        return read_game_of_episode(Dataset(episode[0]).episode(episode[1]))
    if activity is None:
        return draw_games("1k", hands, distractors)(np.random.default_rng(seed))
    return activity_game(find_activity(activity), activity, seed, distractors, hands)
