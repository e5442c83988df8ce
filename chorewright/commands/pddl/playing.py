"""The verb that lets a person play any planning problem in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands.shell import console, printable, readable, verb
from chorewright.commands.typed_lines import typed_lines
from chorewright.errors import ExitCode
from chorewright.files.english import capital, say_count
from chorewright.files.spelling import did_you_mean

if TYPE_CHECKING:
    from chorewright.replay.games.game import PddlGame
    from chorewright.replay.games.play import PddlPlay


@verb
def play(
    domain: Annotated[Path, typer.Argument(help="The domain.")],
    problem: Annotated[Path, typer.Argument(help="The problem.")],
    wordings: Annotated[
        Path | None, typer.Option("--say", help="How to say it (.say); by default the file beside the domain.")
    ] = None,
) -> None:
    """Play a planning problem in the terminal as a text game. Exit code 0 if you reach the goal, else 1."""
    from chorewright.replay.games.games import ProblemGames

    files = (readable(domain), readable(problem), readable(wordings) if wordings is not None else None)
    play_in_terminal(ProblemGames(*files)[0])


def play_in_terminal(game: PddlGame) -> None:
    """Let a person play a game; the process exits with 1 if the goal is not reached."""
    from chorewright.replay.games.expert import PddlExpert
    from chorewright.replay.games.play import PddlPlay

    playing = PddlPlay(game)
    _tell(playing.reset())
    print("'help' lists the commands, 'hint' tells the next one, Tab completes them, 'quit' ends the game.")
    expert = PddlExpert(playing)
    for line in () if playing.won else typed_lines(_completer(playing)):
        if line.strip().lower() == "hint":
            _tell(expert.command() or "The planner knows no way from here.")
            continue
        if line.strip().lower() in ("quit", "exit"):
            break
        turn = playing.step(line)
        expert.follow(turn.action)
        _tell(turn.observation)
        if turn.reason and not playing.commands.conceivable(line):
            meant = did_you_mean(line.strip().lower(), playing.admissible()) or ""
            if meant:
                _tell(capital(meant))
        if turn.won:
            break
    print(f"{'Won' if playing.won else 'Not won'} after {say_count(playing.moves, 'action')}.")
    if not playing.won:
        sys.exit(int(ExitCode.NEGATIVE))


def _tell(text: str) -> None:
    console().print("\n".join(map(printable, text.split("\n"))))


def _completer(playing: PddlPlay) -> Callable[[str, int], str | None]:
    """Return what completes a line to the admissible commands."""

    def complete(text: str, number: int) -> str | None:
        fitting = [each for each in playing.admissible() if each.lower().startswith(text.lower())]
        return fitting[number] if number < len(fitting) else None

    return complete
