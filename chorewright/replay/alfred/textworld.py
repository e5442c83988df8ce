"""TextWorld's calls for one game at a time: a program that opens ALFWorld's game files by them changes its imports.

import chorewright.replay.alfred.textworld as textworld
from chorewright.replay.alfred.textworld import AlfredDemangler, Filter

env = textworld.start(path, textworld.EnvInfos(won=True, extras=["walkthrough"]), [Filter, AlfredDemangler()])
observation, infos = env.reset()
observation, score, done, infos = env.step("look")
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from chorewright.errors import UsageError
from chorewright.files.english import did_you_mean
from chorewright.replay.alfred.game import Game
from chorewright.replay.alfred.play import TextGame
from chorewright.replay.alfred.reading import read_game
from chorewright.replay.alfred.writing import facts
from chorewright.replay.games.engine import GameSession

SHOWN = ("feedback", "won", "lost", "score", "max_score", "moves", "admissible_commands", "facts", "last_command")
"""What is known of these games; TextWorld has more names, whose value in ALFWorld's games is None."""

_UNKNOWN = ("description", "inventory", "location", "objective", "intermediate_reward", "policy_commands", "verbs")


class EnvInfos:
    """What ``infos`` are to have: names of ``SHOWN``, and ``extras`` by theirs (``walkthrough``, ``expert_plan``).

    Raises:
        UsageError: There is no such name.
    """

    def __init__(self, *, extras: Iterable[str] = (), **asked: bool) -> None:
        known = (*SHOWN, *_UNKNOWN)
        for name in asked:
            if name not in known:
                raise UsageError(
                    f"there is no info {name!r}", hint=did_you_mean(name, known) or f"there are {', '.join(known)}"
                )
        self.basics = [name for name, wanted in asked.items() if wanted]
        self.extras = list(extras)


def Filter(env: SingleGame) -> SingleGame:  # TextWorld's name
    """Return the game: TextWorld's wrapper makes ``reset`` and ``step`` return ``infos``, as they do here anyway."""
    return env


class AlfredDemangler:
    """ALFWorld's wrapper that gives things their names; here they have them anyway."""

    def __init__(self, *, shuffle: bool = False) -> None:
        if shuffle:
            raise UsageError("names are shuffled by AlfredTWEnv with env.domain_randomization only")

    def __call__(self, env: SingleGame) -> SingleGame:
        return env


class SingleGame:
    """A game with TextWorld's calls, as its ``Filter`` shapes them. A game that is won goes on until ``reset``."""

    def __init__(self, game: Game, path: str, infos: EnvInfos) -> None:
        self._game, self._path, self._wanted = game, path, infos
        self._session: GameSession[TextGame] | None = None

    def reset(self) -> tuple[str, dict[str, Any]]:
        """Begin the game; return the first observation, and what is told beside it."""
        self._session, self._command = GameSession(TextGame(self._game)), ""
        return self._session.turn.observation, self._infos(self._session)

    def step(self, command: str) -> tuple[str, int, bool, dict[str, Any]]:
        """Do a command; return observation, score, whether the game is won, and what is told beside them.

        Raises:
            UsageError: ``reset`` was not called.
        """
        if self._session is None:
            raise UsageError("reset the game before you step")
        observation, won = self._session.step(command)[:2]
        self._command = command
        return observation, int(won), won, self._infos(self._session)

    def close(self) -> None:
        """Forget the game that is being played."""
        self._session = None

    def _infos(self, session: GameSession[TextGame]) -> dict[str, Any]:
        play = session.play
        makers: dict[str, Callable[[], Any]] = {
            "feedback": lambda: session.turn.observation,
            "won": lambda: play.won,
            "lost": lambda: False,
            "score": lambda: int(play.won),
            "max_score": lambda: 1,
            "moves": lambda: play.moves,
            "admissible_commands": lambda: list(play.admissible()),
            "facts": lambda: facts(play),
            "last_command": lambda: self._command or None,
            "extra.walkthrough": lambda: list(self._game.walkthrough or ()) or None,
            "extra.expert_plan": session.expert.commands,
            "extra.gamefile": lambda: self._path,
        }
        names = [*self._wanted.basics, *(f"extra.{name}" for name in self._wanted.extras)]
        return {name: makers[name]() if name in makers else None for name in names}


def start(
    path: str | Path, request_infos: EnvInfos | None = None, wrappers: Sequence[Callable[..., Any]] = ()
) -> SingleGame:
    """Open a game file.

    Args:
        path: A file ``game.tw-pddl``.
        request_infos: What ``infos`` are to have; nothing by default.
        wrappers: What is called with the game in turn, such as ``Filter`` and ``AlfredDemangler()``.

    Raises:
        UsageError: The file is not there.
        InputError: It is no game.
    """
    env = SingleGame(read_game(Path(path)), str(path), request_infos or EnvInfos())
    for wrapper in wrappers:
        env = wrapper(env)
    return env
