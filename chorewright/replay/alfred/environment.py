"""Text games for Gymnasium: texts as observations and actions."""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Text

from chorewright.errors import UsageError
from chorewright.replay.alfred.facts import facts
from chorewright.replay.alfred.following import Expert
from chorewright.replay.alfred.game import Game
from chorewright.replay.alfred.play import TextGame
from chorewright.replay.alfred.twin import Twin
from chorewright.replay.games.choosing import choose, entries

Games: TypeAlias = Callable[[np.random.Generator], Game] | Sequence[Game]
"""Where games come from: drawn with the environment's random numbers, or chosen with them from several."""

INFOS = (
    "admissible_commands",
    "won",
    "score",
    "moves",
    "goal_conditions",
    "extra.gamefile",
    "extra.expert_plan",
    "facts",
    "reason",
)
"""What ``info`` can have."""

USUAL_INFOS = ("admissible_commands", "won", "score", "moves", "extra.gamefile")
"""What it has by default: the expert's plan and the facts take time."""

LONGEST_OBSERVATION = 20_000
LONGEST_COMMAND = 500
MOST_STEPS = 50

_METADATA: dict[str, Any] = {"render_modes": ["ansi", "human"], "render_fps": 1}


OBSERVATIONS = ("text", "rgb", "both")
"""What an observation is: the text, the agent's picture, or a dict of both."""


class TextGameEnv(gymnasium.Env[Any, str]):
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
        shuffle_names: Whether things are numbered anew in each episode.
        render_mode: ``ansi`` (``render`` returns the last observation), ``human`` (it is printed) or None.

    ``reset(options={"game": ...})`` plays a given game: a ``Game``, the index of one of several, or its name.
    """

    metadata: dict[str, Any] = _METADATA

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
    ) -> None:
        self._infos = entries(infos, INFOS)
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise UsageError(f"there is no render mode {render_mode!r}", hint="ansi or human")
        if isinstance(games, Sequence) and not games:
            raise UsageError("there is no game to play")
        if observation not in OBSERVATIONS:
            raise UsageError(f"there is no observation {observation!r}", hint=", ".join(OBSERVATIONS))
        letters = string.ascii_letters + string.digits + string.punctuation + " \n"
        told: gymnasium.Space[Any] = Text(LONGEST_OBSERVATION, min_length=1, charset=letters)
        seen: gymnasium.Space[Any] = Box(0, 255, (size, size, 3), np.uint8)
        spaces = {"text": told, "rgb": seen, "both": Dict({"text": told, "rgb": seen})}
        self.observation_space = spaces[observation]
        self._observation, self._size = observation, size
        self._twin: Twin | None = None
        self.action_space = Text(LONGEST_COMMAND, min_length=0, charset=letters)
        self.render_mode = render_mode
        self._games, self._max_steps, self._reasons, self._shuffle = games, max_steps, reasons, shuffle_names
        self._play: TextGame | None = None
        self._said = self._reason = ""

    @property
    def play(self) -> TextGame:
        """The running game.

        Raises:
            UsageError: The environment has not been reset.
        """
        if self._play is None:
            raise UsageError("the environment has not been reset yet", hint="call reset first")
        return self._play

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode with another game; see ``gymnasium.Env.reset``."""
        super().reset(seed=seed)
        game = choose(self._games, options or {}, self.np_random, Game)
        rng = self.np_random
        self._play = TextGame.renamed(game, rng, self._reasons) if self._shuffle else TextGame(game, self._reasons)
        self._expert = Expert(self._play)
        self._steps, self._reason = 0, ""
        self._twin = None if self._observation == "text" else Twin(self._play)
        return self._tell((self._twin or self._play).reset()), self._info()

    def step(self, action: str) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Do what a command says; see ``gymnasium.Env.step``."""
        play = self.play
        before = int(play.won)
        turn = (self._twin or play).step(action)
        self._expert.follow(turn.action)
        self._steps += 1
        self._reason = turn.reason
        truncated = not turn.done and self._max_steps is not None and self._steps >= self._max_steps
        return self._tell(turn.observation), float(turn.score - before), turn.done, truncated, self._info()

    def render(self) -> Any:
        """Return the last observation in mode ``ansi``."""
        return self._said if self.render_mode == "ansi" else None

    def _tell(self, said: str) -> Any:
        """Return an observation."""
        self._said = said
        if self.render_mode == "human":
            print(said)
        if self._twin is None:
            return said
        picture = self._twin.frame(self._size).rgb
        return picture if self._observation == "rgb" else {"text": said, "rgb": picture}

    def _info(self) -> dict[str, Any]:
        play = self.play
        makers: Mapping[str, Callable[[], object]] = {
            "admissible_commands": lambda: list(play.admissible()),
            "won": lambda: play.won,
            "score": lambda: int(play.won),
            "moves": lambda: play.moves,
            "goal_conditions": lambda: play.goal.conditions(play.state),
            "extra.gamefile": lambda: play.game.name,
            "extra.expert_plan": lambda: self._expert.commands() or [],
            "facts": lambda: facts(play),
            "reason": lambda: self._reason,
        }
        return {name: makers[name]() for name in self._infos}
