"""Text games in the terminal: what the game tells, and what the player types, with history and completion.

The verbs are ``play pddl``, any planning problem, and ``play behavior``, an activity.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO, cast

import typer

from chorewright.commands.common import EpisodeChoice, find_episode
from chorewright.commands.shell import check_seed, console, exit_unless, printable, readable, verb
from chorewright.errors import UsageError
from chorewright.files.english import capital, did_you_mean, say_count

if TYPE_CHECKING:
    from chorewright.replay.games.engine import Play, Turn
    from chorewright.replay.games.game import PddlGame


PROMPT = "> "


def play_in_terminal(
    play: Play[Any, Any],
    ending: Callable[[int], str],
    others: Sequence[str] = (),
    remark: Callable[[str, Turn], str] = lambda line, turn: "",
) -> None:
    """Let a person play a game; the process exits with 1 if it is not won.

    ``hint`` tells the expert's next command, ``quit`` ends the game.

    Args:
        play: The game.
        ending: What is told at the end, after so many commands.
        others: Commands that are completed besides those that are admissible.
        remark: What is told besides of a turn, to what was typed; empty for nothing.
    """
    _tell(play.reset())
    print("'help' lists the commands, 'hint' tells the next one, Tab completes them, 'quit' ends the game.")
    expert, steps = play.expert(), 0
    for line in () if play.over else read_typed_lines(_completer(play, others)):
        word = line.lower()
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
    exit_unless(play.won)


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


# The verb that lets a person play any planning problem in the terminal.


@verb
def play_problem(domain: Path, problem: Path, wordings: Annotated[Path | None, typer.Option("--say")] = None) -> None:
    """Play a planning problem in the terminal as a text game. Exit code 0 if you reach the goal, else 1.

    Args:
        domain: The domain.
        problem: The problem.
        wordings: How to say it (.say); by default the file beside the domain.
    """
    from chorewright.replay.games.game import ProblemGames

    files = (readable(domain), readable(problem), readable(wordings) if wordings is not None else None)
    _play_game(ProblemGames(*files)[0])


def _play_game(game: PddlGame) -> None:
    """Let a person play a problem; the process exits with 1 if the goal is not reached."""
    from chorewright.replay.games.play import PddlPlay

    playing = PddlPlay(game)

    def ending(steps: int) -> str:
        return f"{'Won' if playing.won else 'Not won'} after {say_count(playing.moves, 'action')}."

    def remark(line: str, turn: Turn) -> str:
        """Say what a command that is not understood may mean."""
        if not turn.reason or playing.commands.conceivable(line):
            return ""
        return capital(did_you_mean(line.lower(), playing.admissible()) or "")

    play_in_terminal(playing, ending, remark=remark)


# The verb ``play behavior``: an activity of BEHAVIOR.


@verb
def play_activity(
    activity: Annotated[str | None, typer.Argument()] = None,
    seed: int = 0,
    hands: Annotated[int, typer.Option("--hands", min=1, max=2)] = 1,
    distractors: Annotated[int, typer.Option("--distractors", min=0, max=50)] = 0,
    episode: EpisodeChoice = None,
) -> None:
    """Carry out an activity as a text game: you are the robot. Exit code 0 if you reach the goal, else 1.

    Args:
        activity: A name (1k/NAME, 100/NAME), or a .bddl file; without it, one of BEHAVIOR-1K is drawn.
        seed: Another seed, another activity, other distractors.
        hands: How many things you can hold.
        distractors: How many things lie about that nobody asks for.
    """
    _play_game(_activity_game(activity, seed, hands, distractors, episode))


def _activity_game(
    activity: str | None, seed: int, hands: int, distractors: int, episode: tuple[Path, int] | None
) -> PddlGame:
    """Return the game that was asked for."""
    import numpy as np

    from chorewright.generator.behavior.world import activity_game, draw_games, find_activity, read_game_of_episode

    if activity is not None and episode is not None:
        raise UsageError("only one of an activity and --episode can be given")
    check_seed(seed)
    if episode is not None:
        return read_game_of_episode(find_episode("behavior", episode))
    if activity is None:
        return draw_games("1k", hands, distractors)(np.random.default_rng(seed))
    return activity_game(find_activity(activity), activity, seed, distractors, hands)
