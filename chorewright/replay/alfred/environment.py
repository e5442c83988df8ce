"""ALFWorld's text games for Gymnasium: texts as observations and actions, and pictures of the same room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from gymnasium.spaces import Box

from chorewright.replay.alfred.game import Game, GameNames
from chorewright.replay.alfred.play import TextGame
from chorewright.replay.alfred.twin import Twin
from chorewright.replay.alfred.writing import facts
from chorewright.replay.games.engine import GameSession
from chorewright.replay.games.environment import GameEnv, Makers, Source

Games: TypeAlias = Source[Game]
"""Where games come from: drawn with the environment's random numbers, or chosen with them from several."""

MOST_STEPS = 50

_MAKERS: Makers = {
    "admissible_commands": lambda session: list(session.play.admissible()),
    "won": lambda session: session.play.won,
    "score": lambda session: int(session.play.won),
    "moves": lambda session: session.play.moves,
    "goal_conditions": lambda session: session.play.goal.conditions(session.play.state),
    "extra.gamefile": lambda session: session.play.game.name,
    "extra.expert_plan": lambda session: session.expert.commands() or [],
    "facts": lambda session: facts(session.play),
    "reason": lambda session: session.turn.reason,
}
INFOS = tuple(_MAKERS)
"""What ``info`` can have."""

USUAL_INFOS = ("admissible_commands", "won", "score", "moves", "extra.gamefile")
"""What it has by default: the expert's plan and the facts take time."""


class TextGameEnv(GameEnv[Game, TextGame]):
    """One text game for each episode; the reward is 1 when it is won.

    With pictures, every command is also done in the room that the game was made from (``twin.Twin``); games that
    were read from files know no room.

    Args:
        games: A function that draws a game, or some games.
        observation: ``text``, ``rgb`` (height, width, 3; uint8) or ``both``: a dict of ``text`` and ``rgb``.
        size: Pixels on a side of the picture.
        infos: The entries of ``info``.
        max_steps: Steps after which an episode is truncated; None for no limit.
        reasons: Whether a refused command is answered with the reason.
        spellings: Whether other spellings of a command are understood, such as ``put X in Y``.
        shuffle_names: Whether things are numbered anew in each episode.
        render_mode: ``ansi`` (``render`` returns the last observation), ``human`` (it is printed) or None.

    ``reset(options={"game": ...})`` plays a given game: a ``Game``, the index of one of several, or its name.
    """

    def __init__(
        self,
        games: Games,
        infos: Sequence[str] = USUAL_INFOS,
        max_steps: int | None = MOST_STEPS,
        reasons: bool = False,
        shuffle_names: bool = False,
        render_mode: str | None = None,
        observation: str = "text",
        size: int = 300,
        spellings: bool = False,
    ) -> None:
        pictures = Box(0, 255, (size, size, 3), np.uint8)
        super().__init__(games, Game, _MAKERS, infos, max_steps, render_mode, observation, ("rgb", pictures))
        self._told, self._shuffle, self._size = (reasons, spellings), shuffle_names, size

    def _begin(self, game: Game) -> GameSession[TextGame]:
        reasons, spellings = self._told
        names = GameNames.of(game, self.np_random) if self._shuffle else None
        play = TextGame(game, reasons, names, spellings)
        if self._observation == "text":
            return GameSession(play, self._max_steps)
        self._twin = Twin(play)
        return GameSession(play, self._max_steps, self._twin.step)

    def _view(self) -> object:
        return self._twin.world.frame(self._size).rgb
