"""Text games for Gymnasium: commands as actions; texts, and what else a family shows, as observations.

``GameEnv`` is what all families have in common, ``PddlEnv`` the environment of any planning problem.
"""

from __future__ import annotations

import string
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Protocol, SupportsIndex, TypeAlias, TypeVar

import gymnasium
import numpy as np
from gymnasium.spaces import Dict, Text
from gymnasium.spaces import Sequence as Several

from chorewright.domains.facts import atom_text
from chorewright.errors import UsageError
from chorewright.replay.experts import OnlineExpert
from chorewright.replay.games.engine import GameSession, Play, PlayT, Turn
from chorewright.replay.games.game import PddlGame
from chorewright.replay.games.play import PddlPlay

LETTERS = string.ascii_letters + string.digits + string.punctuation + " \n"
"""The characters of observations and commands."""


class HasName(Protocol):
    """A game that has a name."""

    @property
    def name(self) -> str:
        """The name."""


GameT = TypeVar("GameT", bound=HasName)
Source: TypeAlias = Callable[[np.random.Generator], GameT] | Sequence[GameT]
"""Where games come from: drawn with the environment's random numbers, or chosen with them from several."""

Makers: TypeAlias = Mapping[str, Callable[[GameSession[Any]], object]]
"""Makes the entries of ``info`` from the running episode, by their names."""


_METADATA: dict[str, Any] = {"render_modes": ["ansi", "human"], "render_fps": 1}


class GameEnv(gymnasium.Env[Any, str], ABC, Generic[GameT, PlayT]):
    """One game for each episode.

    Args:
        games: A function that draws a game, or some games.
        kind: What a game is.
        makers: All entries that ``info`` can have.
        infos: Those that it has.
        max_steps: Steps after which an episode is truncated; None for no limit.
        render_mode: ``ansi`` (``render`` returns the last text), ``human`` (it is printed) or None.
        observation: ``text``, the name of the other view, or ``both``: a dict of both.
        other: The name and the space of what can be observed besides the text.
    """

    metadata = _METADATA
    word = "game"
    """What a game is called in errors, and in the options of ``reset``."""
    longest = 20_000, 500
    """The most characters of an observation and of a command."""
    shortest_command = 0

    def __init__(
        self,
        games: Source[GameT],
        kind: type[GameT],
        makers: Makers,
        infos: Sequence[str],
        max_steps: int | None,
        render_mode: str | None,
        observation: str = "text",
        other: tuple[str, gymnasium.Space[Any]] | None = None,
    ) -> None:
        self._makers = {name: makers[name] for name in _entries(infos, makers)}
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise UsageError(f"there is no render mode {render_mode!r}", hint="ansi or human")
        if isinstance(games, Sequence) and not len(games):
            raise UsageError(f"there is no {self.word} to play")
        text: gymnasium.Space[Any] = Text(self.longest[0], min_length=1, charset=LETTERS)
        spaces = {"text": text}
        if other is not None:
            spaces |= {other[0]: other[1], "both": Dict({"text": text, other[0]: other[1]})}
        if observation not in spaces:
            raise UsageError(f"there is no observation {observation!r}", hint=", ".join(spaces))
        self.observation_space = spaces[observation]
        self.action_space = Text(self.longest[1], min_length=self.shortest_command, charset=LETTERS)
        self.render_mode = render_mode
        self._games, self._kind, self._max_steps = games, kind, max_steps
        self._observation, self._other = observation, other[0] if other else ""
        self._session: GameSession[PlayT] | None = None

    @property
    def session(self) -> GameSession[PlayT]:
        """The running episode.

        Raises:
            UsageError: The environment has not been reset.
        """
        if self._session is None:
            raise UsageError("the environment has not been reset yet", hint="call reset first")
        return self._session

    @property
    def play(self) -> PlayT:
        """The running game; raises as ``session``."""
        return self.session.play

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode with another game; see ``gymnasium.Env.reset``."""
        super().reset(seed=seed)
        self._session = self._begin(self._choose(options or {}))
        return self._observe(self._session.turn), self._info()

    def step(self, action: str) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Do what a command says; see ``gymnasium.Env.step``."""
        session = self.session
        turn = session.step(action)
        return self._observe(turn), session.reward, turn.terminated, turn.truncated, self._info()

    def render(self) -> Any:
        """Return the last text in mode ``ansi``."""
        return self.session.turn.observation if self.render_mode == "ansi" else None

    @abstractmethod
    def _begin(self, game: GameT) -> GameSession[PlayT]:
        """Return a session of a game."""

    def _view(self) -> object:
        """Return the other view of the game as it is now."""
        raise NotImplementedError

    def _observe(self, turn: Turn) -> Any:
        if self.render_mode == "human":
            print(turn.observation)
        if self._observation == "text":
            return turn.observation
        view = self._view()
        return {"text": turn.observation, self._other: view} if self._observation == "both" else view

    def _info(self) -> dict[str, Any]:
        session = self.session
        return {name: make(session) for name, make in self._makers.items()}

    def _choose(self, options: Mapping[str, Any]) -> GameT:
        """Return the game that the option ``game`` names (a game, an index or a name), or else any."""
        check_options(options, (self.word,))
        return self._pick(options.get(self.word))

    def _pick(self, wanted: object) -> GameT:
        """Return a game: itself, or by its index or name; any for None.

        Raises:
            UsageError: There is no such game.
        """
        games, word = self._games, self.word
        if isinstance(wanted, self._kind):
            return wanted
        if not isinstance(games, Sequence):
            if wanted is not None:
                raise UsageError(f"{word}s are drawn, so none can be chosen by its name")
            return games(self.np_random)
        if wanted is None:
            return games[int(self.np_random.integers(len(games)))]
        if isinstance(wanted, str):
            return _find(games, wanted)
        if not isinstance(wanted, SupportsIndex):
            raise UsageError(f"a {word} is chosen by its name or index, not by {wanted!r}")
        if not 0 <= (index := wanted.__index__()) < len(games):
            raise UsageError(f"there is no {word} {index}", hint=f"there are {len(games)}, from 0")
        return games[index]


def check_options(options: Mapping[str, object], known: Sequence[str]) -> None:
    """Check the options of ``reset``.

    Raises:
        UsageError: There is no such option.
    """
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise UsageError(f"reset has no option {unknown[0]!r}", hint=f"it can have {', '.join(known)}")


def _entries(infos: Sequence[str], known: Makers) -> tuple[str, ...]:
    """Return the entries of ``info`` that are wanted; one may be given by itself.

    Raises:
        UsageError: ``info`` cannot have one of them.
    """
    names = (infos,) if isinstance(infos, str) else tuple(infos)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(f"info has no {unknown[0]!r}", hint=f"it can have {', '.join(known)}")
    return names


def _find(games: Sequence[GameT], name: str) -> GameT:
    """Return a game by its name; of games from files, ``paths`` are the names."""
    names = getattr(games, "paths", None)
    for place in range(len(games)):
        if (names[place] if names else games[place].name) == name:
            return games[place]
    raise UsageError(f"there is no game {name!r}")


class GameEnvExpert(OnlineExpert[str]):
    """The expert of an environment of text games: it follows the running episode, and plans where its way is left."""

    def __init__(self, environment: GameEnv[Any, Any]) -> None:
        self._environment = environment

    def plan(self) -> Sequence[str] | None:
        """Return the commands that lead to the goal; see ``OnlineExpert.plan``."""
        session = self._environment.session
        return () if session.play.won else session.expert.commands()

    def action(self) -> str | None:
        """Return the next command; the others are not put into words."""
        session = self._environment.session
        return None if session.play.won else session.expert.command()


class PlayExpert(OnlineExpert[str]):
    """The expert of a play without an environment, which may be set to any state: it plans whenever it is asked."""

    def __init__(self, play: Play[Any, Any]) -> None:
        self._play = play

    def plan(self) -> Sequence[str] | None:
        """Return the commands that lead to the goal; see ``OnlineExpert.plan``."""
        return () if self._play.won else self._play.expert().commands()


class GameExperts:
    """Makes experts for text games: ALFRED's, HandMeThat's, BEHAVIOR's, those of any PDDL domain."""

    def expert(self, environment: object, goal: object) -> OnlineExpert[str] | None:
        """Return an expert for an environment of text games, or for a play; see ``ExpertSource.expert``."""
        if not isinstance(environment, GameEnv | Play):
            return None
        if goal is not None:
            raise UsageError("a game has a goal of its own", hint="leave out goal")
        return GameEnvExpert(environment) if isinstance(environment, GameEnv) else PlayExpert(environment)


# Planning problems.

PddlGames: TypeAlias = Source[PddlGame]
"""Where games come from: drawn with the environment's random numbers, or chosen with them from several."""


def _atoms(session: GameSession[PddlPlay]) -> tuple[str, ...]:
    """Return the true atoms as texts."""
    return tuple(atom_text(atom) for atom in sorted(session.play.running.state()))


_MAKERS: Makers = {
    "admissible_commands": lambda session: list(session.play.admissible()),
    "actions": lambda session: [str(each) for each in session.play.applicable()],
    "won": lambda session: session.play.won,
    "score": lambda session: session.score,
    "moves": lambda session: session.play.moves,
    "cost": lambda session: session.cost,
    "goal": lambda session: session.play.goal(),
    "goal_conditions": lambda session: session.play.conditions(),
    "atoms": _atoms,
    "problem": lambda session: session.play.game.name,
    "expert_plan": lambda session: [str(each) for each in session.expert.actions() or ()],
    "expert_command": lambda session: session.expert.command() or "",
    "reason": lambda session: session.turn.reason,
}
INFOS = tuple(_MAKERS)
"""What ``info`` can have."""

USUAL_INFOS = ("admissible_commands", "won", "score", "moves", "problem")
"""What it has by default: the expert plans, which takes time."""
REWARDS = ("goal", "cost")
MOST_STEPS = 200


class PddlEnv(GameEnv[PddlGame, PddlPlay]):
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

    longest = 1_000_000, 1_000

    def __init__(
        self,
        games: PddlGames,
        observation: str = "text",
        reward: str = "goal",
        infos: Sequence[str] | None = None,
        max_steps: int | None = MOST_STEPS,
        render_mode: str | None = None,
    ) -> None:
        if reward not in REWARDS:
            raise UsageError(f"there is no reward {reward!r}", hint=", ".join(REWARDS))
        atoms = Several(Text(self.longest[1], min_length=2, charset=LETTERS))
        chosen = USUAL_INFOS if infos is None else infos
        super().__init__(games, PddlGame, _MAKERS, chosen, max_steps, render_mode, observation, ("atoms", atoms))
        self._costs = reward == "cost"

    def _begin(self, game: PddlGame) -> GameSession[PddlPlay]:
        same = self._session is not None and self._session.play.game is game
        return GameSession(self.play if same else PddlPlay(game), self._max_steps, costs=self._costs)

    def _view(self) -> object:
        return _atoms(self.session)
