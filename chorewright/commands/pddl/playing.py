"""The verb that lets a person play any planning problem in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands.playing import play_in_terminal
from chorewright.commands.shell import readable, verb
from chorewright.files.english import capital, did_you_mean, say_count

if TYPE_CHECKING:
    from chorewright.replay.games.engine import Turn
    from chorewright.replay.games.game import PddlGame


@verb
def play(
    domain: Annotated[Path, typer.Argument(help="The domain.")],
    problem: Annotated[Path, typer.Argument(help="The problem.")],
    wordings: Annotated[
        Path | None, typer.Option("--say", help="How to say it (.say); by default the file beside the domain.")
    ] = None,
) -> None:
    """Play a planning problem in the terminal as a text game. Exit code 0 if you reach the goal, else 1."""
    from chorewright.replay.games.game import ProblemGames

    files = (readable(domain), readable(problem), readable(wordings) if wordings is not None else None)
    play_problem(ProblemGames(*files)[0])


def play_problem(game: PddlGame) -> None:
    """Let a person play a problem; the process exits with 1 if the goal is not reached."""
    from chorewright.replay.games.play import PddlPlay

    playing = PddlPlay(game)

    def ending(steps: int) -> str:
        return f"{'Won' if playing.won else 'Not won'} after {say_count(playing.moves, 'action')}."

    def remark(line: str, turn: Turn) -> str:
        """Say what a command that is not understood may mean."""
        if not turn.reason or playing.commands.conceivable(line):
            return ""
        meant = did_you_mean(line.lower(), playing.admissible()) or ""
        return capital(meant)

    play_in_terminal(playing, ending, hints=True, remark=remark)
