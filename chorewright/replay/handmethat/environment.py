"""HandMeThat for Gymnasium: the text world as an environment with texts as observations and actions.

``info`` has the usual entries of text games: admissible_commands, score, won, lost, moves, questions, objective,
facts, policy_commands.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping, Sequence
from typing import Any, SupportsIndex, TypeAlias, cast

import gymnasium
import numpy as np
from gymnasium.spaces import Text

from chorewright.errors import UsageError
from chorewright.planner.plan import GroundAction
from chorewright.replay.games.choosing import entries
from chorewright.replay.handmethat.commands import command_of
from chorewright.replay.handmethat.demonstrations import plan_for
from chorewright.replay.handmethat.records import loads
from chorewright.replay.handmethat.story import objective
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.replay.handmethat.world import PAPER, Rules, TextWorld

Tasks: TypeAlias = Callable[[np.random.Generator], HandMeThatTask] | Sequence[HandMeThatTask]
"""Where tasks come from: drawn with the environment's random numbers, or chosen with them from several."""

_METADATA: dict[str, Any] = {"render_modes": ["ansi", "human"], "render_fps": 1}

LONGEST_OBSERVATION = 50_000
LONGEST_COMMAND = 200
INFOS = (
    "admissible_commands",
    "score",
    "won",
    "lost",
    "moves",
    "questions",
    "objective",
    "facts",
    "policy_commands",
)
"""What ``info`` can have."""


class HandMeThatEnv(gymnasium.Env[str, str]):
    """One task for each episode; see ``TextWorld`` for commands, costs and ends.

    Args:
        tasks: A function that draws a task, or some tasks (``reference.file_tasks`` are those of files).
        fully_observable: Whether all objects are seen at all times.
        infos: The entries of ``info``; all by default. ``policy_commands`` asks the planner at every reset
            and whenever the expert's way is left, which costs some hundredths of a second.
        rules: Costs and limits.
        render_mode: ``ansi`` (``render`` returns the last observation), ``human`` (it is printed) or None.

    ``reset(options={"task": task})`` plays a given task, also as the text of ``records.dumps``;
    ``options={"index": n}`` the n-th of several.
    """

    metadata: dict[str, Any] = _METADATA

    def __init__(
        self,
        tasks: Tasks,
        fully_observable: bool = False,
        infos: Sequence[str] = INFOS,
        rules: Rules = PAPER,
        render_mode: str | None = None,
    ) -> None:
        self._infos = entries(infos, INFOS)
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise UsageError(f"there is no render mode {render_mode!r}", hint="ansi or human")
        letters = string.ascii_letters + string.digits + string.punctuation + " \n"
        self.observation_space = Text(LONGEST_OBSERVATION, min_length=1, charset=letters)
        self.action_space = Text(LONGEST_COMMAND, min_length=1, charset=letters)
        self.render_mode = render_mode
        if isinstance(tasks, Sequence) and not tasks:
            raise UsageError("there is no task to play")
        self._tasks = tasks
        self._fully_observable = fully_observable
        self._rules = rules
        self._world: TextWorld | None = None
        self._expert: tuple[GroundAction, ...] = ()
        self._said = ""

    @property
    def world(self) -> TextWorld:
        """The text world of the running episode.

        Raises:
            UsageError: The environment has not been reset.
        """
        if self._world is None:
            raise UsageError("the environment has not been reset yet", hint="call reset first")
        return self._world

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Begin an episode with another task; see ``gymnasium.Env.reset``."""
        super().reset(seed=seed)
        task = self._choose(options or {})
        self._world = TextWorld(task, self._fully_observable, self._rules)
        self._said = self._world.reset().observation
        self._plan(self._world)
        self._show()
        return self._said, self._info(self._world)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Do what a command says; see ``gymnasium.Env.step``."""
        world = self.world
        done = len(world.history)
        turn = world.step(action)
        self._said = turn.observation
        if len(world.history) > done:
            if self._expert[:1] == (world.history[-1],):
                self._expert = self._expert[1:]
            else:
                self._plan(world)
        self._show()
        return turn.observation, turn.reward, turn.terminated, turn.truncated, self._info(world)

    def render(self) -> Any:
        """Return the last observation in mode ``ansi``."""
        return self._said if self.render_mode == "ansi" else None

    def _choose(self, options: Mapping[str, Any]) -> HandMeThatTask:
        unknown = sorted(set(options) - {"task", "index"})
        if unknown:
            raise UsageError(f"reset has no option {unknown[0]!r}", hint="it can have task, index")
        if isinstance(options.get("task"), HandMeThatTask):
            return cast(HandMeThatTask, options["task"])
        if isinstance(options.get("task"), str):
            return loads(options["task"])
        if not isinstance(self._tasks, Sequence):
            return self._tasks(self.np_random)
        index = options.get("index")
        if index is None:
            index = int(self.np_random.integers(len(self._tasks)))
        if not isinstance(index, SupportsIndex):
            raise UsageError(f"the index of a task must be a whole number, not {index!r}")
        if not 0 <= (index := index.__index__()) < len(self._tasks):
            raise UsageError(f"there is no task {index}", hint=f"there are {len(self._tasks)}, from 0")
        return self._tasks[index]

    def _plan(self, world: TextWorld) -> None:
        if "policy_commands" in self._infos and not world.over:
            task = world.task
            self._expert = plan_for(task.groundings, task.meaning.quest, world.scene) or ()

    def _show(self) -> None:
        if self.render_mode == "human":
            print(self._said)

    def _info(self, world: TextWorld) -> dict[str, Any]:
        makers: Mapping[str, Callable[[], object]] = {
            "admissible_commands": world.admissible,
            "score": lambda: world.score,
            "won": lambda: world.won,
            "lost": lambda: world.lost,
            "moves": lambda: world.moves,
            "questions": lambda: world.questions,
            "objective": lambda: objective(world.task),
            "facts": world.atoms,
            "policy_commands": lambda: () if world.over else tuple(map(command_of, self._expert)),
        }
        return {name: makers[name]() for name in self._infos}
