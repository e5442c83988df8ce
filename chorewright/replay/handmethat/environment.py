"""HandMeThat for Gymnasium: the text world as an environment with texts as observations and actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, SupportsIndex, TypeAlias

from chorewright.errors import UsageError
from chorewright.replay.games.engine import GameSession
from chorewright.replay.games.environment import GameEnv, Makers, Source, check_options
from chorewright.replay.handmethat.task import HandMeThatTask, loads
from chorewright.replay.handmethat.words import objective
from chorewright.replay.handmethat.world import PAPER, GameRules, TextWorld

Tasks: TypeAlias = Source[HandMeThatTask]
"""Where tasks come from: drawn with the environment's random numbers, or chosen with them from several."""

_MAKERS: Makers = {
    "admissible_commands": lambda session: session.play.admissible(),
    "score": lambda session: session.play.score,
    "won": lambda session: session.play.won,
    "lost": lambda session: session.play.lost,
    "moves": lambda session: session.play.moves,
    "questions": lambda session: session.play.questions,
    "objective": lambda session: objective(session.play.game),
    "facts": lambda session: session.play.atoms(),
    "policy_commands": lambda session: () if session.play.over else tuple(session.expert.commands() or ()),
}
INFOS = tuple(_MAKERS)
"""What ``info`` can have."""


class HandMeThatEnv(GameEnv[HandMeThatTask, TextWorld]):
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

    word = "task"
    longest = 50_000, 200
    shortest_command = 1

    def __init__(
        self,
        tasks: Tasks,
        fully_observable: bool = False,
        infos: Sequence[str] = INFOS,
        rules: GameRules = PAPER,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(tasks, HandMeThatTask, _MAKERS, infos, None, render_mode)
        self._fully_observable, self._rules = fully_observable, rules

    def _begin(self, game: HandMeThatTask) -> GameSession[TextWorld]:
        return GameSession(TextWorld(game, self._fully_observable, self._rules))

    def _choose(self, options: Mapping[str, Any]) -> HandMeThatTask:
        check_options(options, ("task", "index"))
        task, index = options.get("task"), options.get("index")
        if task is not None:
            return self._pick(loads(task) if isinstance(task, str) else task)
        if not isinstance(self._games, Sequence):
            return self._pick(None)
        if index is not None and not isinstance(index, SupportsIndex):
            raise UsageError(f"the index of a task must be a whole number, not {index!r}")
        return self._pick(index)
