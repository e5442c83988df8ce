"""Planning problems for Gymnasium: commands as actions; texts, atoms or both as observations."""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium.spaces import Dict, Text
from gymnasium.spaces import Sequence as Several

from chorewright.domains.facts import atom_text
from chorewright.errors import UsageError
from chorewright.replay.games.choosing import choose, entries
from chorewright.replay.games.expert import PddlExpert
from chorewright.replay.games.game import PddlGame
from chorewright.replay.games.play import PddlPlay, Turn

PddlGames: TypeAlias = Callable[[np.random.Generator], PddlGame] | Sequence[PddlGame]
"""Where games come from: drawn with the environment's random numbers, or chosen with them from several."""

INFOS = (
    "admissible_commands",
    "actions",
    "won",
    "score",
    "moves",
    "cost",
    "goal",
    "goal_conditions",
    "atoms",
    "problem",
    "expert_plan",
    "expert_command",
    "reason",
)
"""What ``info`` can have."""

USUAL_INFOS = ("admissible_commands", "won", "score", "moves", "problem")
"""What it has by default: the expert plans, which takes time."""

OBSERVATIONS = ("text", "atoms", "both")
REWARDS = ("goal", "cost")
LONGEST_OBSERVATION = 1_000_000
LONGEST_COMMAND = 1_000
MOST_STEPS = 200

_METADATA: dict[str, Any] = {"render_modes": ["ansi", "human"], "render_fps": 1}


class PddlEnv(gymnasium.Env[Any, str]):
    """One planning problem for each episode.

    Args:
        games: A function that draws a game, or some games.
        observation: ``text``; ``atoms``: the true atoms as texts, ``(on a b)``, sorted; or ``both``: a dict of both.
        reward: ``goal``: 1 when the goal is reached, else 0; ``cost``: besides, what an action costs is taken off.
        infos: The entries of ``info``; by default those that take no time.
        max_steps: Steps after which an episode is truncated; None for no limit.
        render_mode: ``ansi`` (``render`` returns the last text), ``human`` (it is printed) or None.

    ``reset(options={"game": ...})`` plays a given game: a ``PddlGame``, the index of one of several, or its name.
    """

    metadata: dict[str, Any] = _METADATA

    def __init__(
        self,
        games: PddlGames,
        observation: str = "text",
        reward: str = "goal",
        infos: Sequence[str] | None = None,
        max_steps: int | None = MOST_STEPS,
        render_mode: str | None = None,
    ) -> None:
        self._infos = entries(USUAL_INFOS if infos is None else infos, INFOS)
        for value, known, what in ((observation, OBSERVATIONS, "observation"), (reward, REWARDS, "reward")):
            if value not in known:
                raise UsageError(f"there is no {what} {value!r}", hint=", ".join(known))
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise UsageError(f"there is no render mode {render_mode!r}", hint="ansi or human")
        if isinstance(games, Sequence) and not len(games):
            raise UsageError("there is no game to play")
        letters = string.ascii_letters + string.digits + string.punctuation + " \n"
        told: gymnasium.Space[Any] = Text(LONGEST_OBSERVATION, min_length=1, charset=letters)
        atoms: gymnasium.Space[Any] = Several(Text(LONGEST_COMMAND, min_length=2, charset=letters))
        self.observation_space = {"text": told, "atoms": atoms, "both": Dict({"text": told, "atoms": atoms})}[
            observation
        ]
        self.action_space = Text(LONGEST_COMMAND, min_length=0, charset=letters)
        self.render_mode = render_mode
        self._games, self._observation, self._max_steps = games, observation, max_steps
        self._costs = reward == "cost"
        self._play: PddlPlay | None = None
        self._said = self._reason = ""
        self._steps, self._cost, self._score = 0, 0.0, 0.0

    @property
    def play(self) -> PddlPlay:
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
        game = choose(self._games, options or {}, self.np_random, PddlGame)
        if self._play is None or self._play.game is not game:
            self._play = PddlPlay(game)
        self._expert = PddlExpert(self._play)
        self._steps, self._cost, self._score, self._reason = 0, 0.0, 0.0, ""
        self._said = self._play.reset()
        return self._tell(), self._info()

    def step(self, action: str) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Do what a command says; see ``gymnasium.Env.step``."""
        play = self.play
        before = play.running.solved
        turn = play.step(action)
        return self._done(turn, before)

    def _done(self, turn: Turn, before: bool) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._expert.follow(turn.action)
        self._steps += 1
        self._said, self._reason = turn.observation, turn.reason
        self._cost += turn.cost
        reward = float(turn.won and not before) - (turn.cost if self._costs else 0.0)
        self._score += reward
        truncated = not turn.won and self._max_steps is not None and self._steps >= self._max_steps
        return self._tell(), reward, turn.won, truncated, self._info()

    def render(self) -> Any:
        """Return the last text in mode ``ansi``."""
        return self._said if self.render_mode == "ansi" else None

    def _tell(self) -> Any:
        """Return an observation."""
        if self.render_mode == "human":
            print(self._said)
        if self._observation == "text":
            return self._said
        return self._atoms() if self._observation == "atoms" else {"text": self._said, "atoms": self._atoms()}

    def _atoms(self) -> tuple[str, ...]:
        return tuple(atom_text(atom) for atom in sorted(self.play.running.state()))

    def _info(self) -> dict[str, Any]:
        return {name: _MAKERS[name](self) for name in self._infos}


_MAKERS: Mapping[str, Callable[[PddlEnv], object]] = {
    "admissible_commands": lambda env: list(env.play.admissible()),
    "actions": lambda env: [str(each) for each in env.play.applicable()],
    "won": lambda env: env.play.won,
    "score": lambda env: env._score,
    "moves": lambda env: env.play.moves,
    "cost": lambda env: env._cost,
    "goal": lambda env: env.play.goal(),
    "goal_conditions": lambda env: env.play.conditions(),
    "atoms": lambda env: env._atoms(),
    "problem": lambda env: env.play.game.name,
    "expert_plan": lambda env: [str(each) for each in env._expert.actions() or ()],
    "expert_command": lambda env: env._expert.command() or "",
    "reason": lambda env: env._reason,
}
