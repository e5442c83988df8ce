"""ALFWorld's text games for Gymnasium: texts as observations and actions, and pictures of the same room."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from gymnasium.spaces import Box

from chorewright.errors import UsageError
from chorewright.replay.alfred.game import Game, GameNames
from chorewright.replay.alfred.play import TextGame
from chorewright.replay.alfred.reading import TASK_TYPES, GameFiles, cycle, game_files
from chorewright.replay.alfred.textworld import facts
from chorewright.replay.alfred.twin import Twin
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


# ALFWorld's own interface: ``AlfredTWEnv`` and the batches of games that ``init_env`` returns.
#
# A program that says ``from chorewright.replay.alfred.batches import AlfredTWEnv`` in place of ALFWorld's import, or
# gets the class from ``get_environment``, plays the same games with the same calls.

FIRST_SEED = 1234
"""The seed of the games' order before ``seed`` is called."""

_FOLDERS = {
    "train": "data_path",
    "eval_in_distribution": "eval_id_data_path",
    "eval_out_of_distribution": "eval_ood_data_path",
}


def get_environment(name: str) -> type[AlfredTWEnv]:
    """Return the class of an environment by ALFWorld's name of it: ``AlfredTWEnv``."""
    if name != AlfredTWEnv.__name__:
        raise UsageError(f"there is no environment {name!r}", hint="AlfredTWEnv")
    return AlfredTWEnv


class AlfredTWEnv:
    """Collects the games that a configuration names.

    Of the configuration are read: ``dataset.data_path``, ``eval_id_data_path``, ``eval_ood_data_path``,
    ``num_train_games``, ``num_eval_games``; ``env.task_types`` (7 for movable receptacles), ``env.sliced``,
    ``env.domain_randomization``; ``general.training_method`` and its ``training.max_nb_steps_per_episode``.

    Args:
        config: The configuration, as ALFWorld reads it from YAML.
        train_eval: ``train``, ``eval_in_distribution`` or ``eval_out_of_distribution``.
        reasons: Whether a refused command is answered with the reason.
        spellings: Whether other spellings of a command are understood, such as ``put X in Y``.

    Attributes:
        game_files: The games' paths; a program may set it to others before ``init_env``.
        num_games: How many there are.
    """

    def __init__(
        self, config: Mapping[str, Any], train_eval: str = "train", *, reasons: bool = False, spellings: bool = False
    ) -> None:
        if train_eval not in _FOLDERS:
            raise UsageError(f"there is no split {train_eval!r}", hint=", ".join(_FOLDERS))
        self.config, self.train_eval, self._told = config, train_eval, (reasons, spellings)
        self.collect_game_files()

    def collect_game_files(self, verbose: bool = False) -> None:
        """Find the games again."""
        dataset, env = self.config["dataset"], self.config["env"]
        folder = os.path.expanduser(os.path.expandvars(dataset[_FOLDERS[self.train_eval]]))
        types = [TASK_TYPES[number] for number in env["task_types"] if number in TASK_TYPES]
        found = game_files(folder, types, sliced=bool(env.get("sliced", False)))
        most = int(dataset.get("num_train_games" if self.train_eval == "train" else "num_eval_games", -1))
        self.game_files = found[:most] if most > 0 else found
        self.num_games = len(self.game_files)
        if verbose:
            print(f"{self.num_games} games below {folder}")

    def init_env(self, batch_size: int) -> GameBatch:
        """Return an environment that plays so many games at a time.

        Raises:
            UsageError: There are no games.
        """
        method = self.config.get("general", {}).get("training_method", "dagger")
        section = self.config.get({"dqn": "rl"}.get(method, method), {})
        limit = section.get("training", {}).get("max_nb_steps_per_episode", MOST_STEPS)
        train = self.train_eval == "train"
        return GameBatch(
            GameFiles(self.game_files),
            batch_size,
            expert=train and method == "dagger",
            max_steps=int(limit),
            shuffle_names=train and bool(self.config["env"].get("domain_randomization", False)),
            reasons=self._told[0],
            spellings=self._told[1],
        )


class GameBatch:
    """Plays several games at a time, by TextWorld's calls.

    Observations, scores and dones are tuples, ``infos`` a dict of lists: ``won``, ``admissible_commands``,
    ``extra.gamefile``; with an expert also ``extra.expert_plan`` and ``facts``. A game that is over stays as it
    is until ``reset``. ``step`` takes any texts.

    Args:
        games: The games.
        batch_size: How many are played at a time.
        expert: Whether ``infos`` have the expert's commands and the facts.
        max_steps: Steps after which a game is over; None for no limit.
        shuffle_names: Whether things are numbered anew in each episode.
        reasons: Whether a refused command is answered with the reason.
        spellings: Whether other spellings of a command are understood, such as ``put X in Y``.
    """

    def __init__(
        self,
        games: GameFiles,
        batch_size: int = 1,
        *,
        expert: bool = False,
        max_steps: int | None = MOST_STEPS,
        shuffle_names: bool = False,
        reasons: bool = False,
        spellings: bool = False,
    ) -> None:
        if not len(games):
            raise UsageError("there is no game to play")
        if batch_size < 1:
            raise UsageError(f"a batch has at least one game, not {batch_size}")
        self.games, self.batch_size = games, batch_size
        self._expert, self._max_steps, self._told = expert, max_steps, (reasons, spellings)
        self._shuffle = shuffle_names
        self._slots: list[tuple[str, GameSession[TextGame]]] = []
        self.seed(FIRST_SEED)

    @property
    def gamefiles(self) -> list[str]:
        """The paths of all games."""
        return self.games.paths

    @property
    def batch_env(self) -> GameBatch:
        """What plays the games: this."""
        return self

    def seed(self, seed: int | None = None) -> list[int | None]:
        """Set in which order the games come."""
        self._gamefiles_iterator = cycle(self.games.paths, seed)
        self._rng = np.random.default_rng(seed)
        return [seed]

    def skip(self, nb_games: int = 1) -> None:
        """Skip games."""
        for _ in range(nb_games):
            next(self._gamefiles_iterator)

    def reset(self, gamefiles: Sequence[str] | None = None) -> tuple[tuple[str, ...], dict[str, list[Any]]]:
        """Begin the next games, or those of some files."""
        paths = gamefiles or [next(self._gamefiles_iterator) for _ in range(self.batch_size)]
        if len(paths) != self.batch_size:
            raise UsageError(f"{self.batch_size} games are played at a time, not {len(paths)}")
        self._slots = [(path, self._begin(self.games.read(path))) for path in paths]
        return tuple(slot.turn.observation for _, slot in self._slots), self._infos()

    def _begin(self, game: Game) -> GameSession[TextGame]:
        reasons, spellings = self._told
        names = GameNames.of(game, self._rng) if self._shuffle else None
        return GameSession(TextGame(game, reasons, names, spellings), self._max_steps)

    def step(
        self, commands: Sequence[str]
    ) -> tuple[tuple[str, ...], tuple[int, ...], tuple[bool, ...], dict[str, list[Any]]]:
        """Do one command in each game.

        Raises:
            UsageError: There are more or fewer commands than games, or ``reset`` was not called.
        """
        if len(commands) != len(self._slots):
            raise UsageError(f"{len(self._slots)} games wait for commands, not {len(commands)}")
        for (_, slot), command in zip(self._slots, commands, strict=True):
            if not slot.over:
                slot.step(command)
        slots = [slot for _, slot in self._slots]
        told = tuple(slot.turn.observation for slot in slots)
        return told, tuple(int(slot.play.won) for slot in slots), tuple(slot.over for slot in slots), self._infos()

    def close(self) -> None:
        """Forget the games that are being played."""
        self._slots = []

    def _infos(self) -> dict[str, list[Any]]:
        slots = [slot for _, slot in self._slots]
        infos: dict[str, list[Any]] = {
            "won": [slot.play.won for slot in slots],
            "admissible_commands": [list(slot.play.admissible()) for slot in slots],
            "extra.gamefile": [path for path, _ in self._slots],
        }
        if self._expert:
            infos["extra.expert_plan"] = [slot.expert.commands() or ["look"] for slot in slots]
            infos["facts"] = [facts(slot.play) for slot in slots]
        return infos
