"""Text games in the terminal: what the game tells, and what the player types, with history and completion."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TextIO, cast

from chorewright.commands.shell import console, printable
from chorewright.errors import ExitCode

if TYPE_CHECKING:
    from chorewright.replay.games.engine import Play, Turn

PROMPT = "> "


def play_in_terminal(
    play: Play[Any, Any],
    ending: Callable[[int], str],
    others: Sequence[str] = (),
    hints: bool = False,
    remark: Callable[[str, Turn], str] = lambda line, turn: "",
) -> None:
    """Let a person play a game; the process exits with 1 if it is not won.

    Args:
        play: The game.
        ending: What is told at the end, after so many commands.
        others: Commands that are completed besides those that are admissible.
        hints: Whether ``hint`` tells the expert's next command and ``quit`` ends the game.
        remark: What is told besides of a turn, to what was typed; empty for nothing.
    """
    _tell(play.reset())
    end = "'quit'" if hints else "Ctrl-D"
    hint = "'hint' tells the next one, " if hints else ""
    print(f"'help' lists the commands, {hint}Tab completes them, {end} ends the game.")
    expert, steps = play.expert(), 0
    for line in () if play.over else read_typed_lines(_completer(play, others)):
        word = line.lower() if hints else ""
        if word == "hint":
            _tell(expert.command() or "The planner knows no way from here.")
            continue
        if word in ("quit", "exit"):
            break
        turn = play.step(line)
        steps += 1
        expert.follow(turn.action)
        for text in (turn.observation, remark(line, turn)):
            if text:
                _tell(text)
        if play.over:
            break
    print(ending(steps))
    if not play.won:
        sys.exit(int(ExitCode.NEGATIVE))


def _tell(text: str) -> None:
    console().print("\n".join(map(printable, text.split("\n"))))


def _completer(play: Play[Any, Any], others: Sequence[str]) -> Callable[[str, int], str | None]:
    """Return what completes a line to the admissible commands, and to others."""

    def complete(text: str, number: int) -> str | None:
        known = (*play.admissible(), *others)
        fitting = [each for each in known if each.lower().startswith(text.lower())]
        return fitting[number] if number < len(fitting) else None

    return complete


def read_typed_lines(completer: Callable[[str, int], str | None]) -> Iterator[str]:
    """Yield what the player types, without blanks around it, until the end of the input.

    Args:
        completer: Returns the completions of a text one by one, then None, as ``readline`` asks for them.
    """
    typed = cast("TextIO | None", sys.stdin)  # None if it was closed before we started
    if typed is None:
        return
    if not typed.isatty():
        for line in typed:
            if line.strip():
                print(printable(f"{PROMPT}{line.strip()}"))
                yield line.strip()
        return
    with suppress(ImportError):  # there is none on some systems; lines are then read without
        import readline

        readline.set_completer(completer)
        readline.set_completer_delims("")
        readline.parse_and_bind("tab: complete")
    while True:
        try:
            line = input(PROMPT)
        except EOFError:
            print()
            return
        if line.strip():
            yield line.strip()
