"""An OpenEnv server of our tasks: each session has a task of its own; HTTP, WebSocket and tasks by split and index."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any
from uuid import uuid4

from chorewright.files.plugins import require_extra
from chorewright.generator.rewards.drawing import SPLITS
from chorewright.generator.rewards.judging import check_seed, make_kind
from chorewright.generator.rewards.playing import Rollout
from chorewright.generator.rewards.task import TaskKind

with require_extra("OpenEnv is not installed", "openenv"):
    import uvicorn
    from openenv.core.env_server import Action, Environment, Observation, State, create_fastapi_app
    from pydantic import create_model
    from starlette.responses import JSONResponse

TASKS = {"train": 100_000, "eval": 1_000}
"""How many tasks of each split there are to choose from."""

CommandAction: Any = create_model("CommandAction", __base__=Action, command=(str, ...))
TaskObservation: Any = create_model(
    "TaskObservation", __base__=Observation, text=(str, ""), commands=(list[str], []), task=(str, "")
)
TaskState: Any = create_model("TaskState", __base__=State, task=(str, ""), score=(float, 0.0))


class TaskSessions:
    """What an environment of OpenEnv does: one task at a time, drawn by a seed or chosen by split and index.

    Args:
        kinds: The kind of tasks for each split.
        numbers: The tasks that are begun without a number or seed; all sessions share them.
        seed: The tasks' seed.
        most: Commands after which a game is over.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, kinds: Mapping[str, TaskKind], numbers: Iterator[int], seed: int = 0, most: int = 50) -> None:
        super().__init__()
        self._kinds, self._numbers, self._seed, self._most = kinds, numbers, seed, most
        self._rollout: Rollout | None = None
        self._episode = self._task = ""

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        split: str = "train",
        index: int | None = None,
        **options: Any,
    ) -> Any:
        """Begin a task: that of an index of a split, else of a seed, else the next one."""
        self._check(split, 0 if index is None else index)
        if index is None:
            index = (next(self._numbers) if seed is None else seed) % TASKS[split]
        kind = self._kinds[split]
        task = kind.task(self._seed, index)
        self._rollout, self._task = Rollout(kind, task.facts, self._most), task.name
        self._episode = episode_id or str(uuid4())
        return self._observe(self._rollout, task.prompt)

    def step(self, action: Any, timeout_s: float | None = None, **options: Any) -> Any:
        """Give an answer or a command.

        Raises:
            RuntimeError: No task has begun.
        """
        if self._rollout is None:
            raise RuntimeError("no task has begun: call reset() before step(), in one session")
        return self._observe(self._rollout, self._rollout.say(action.command))

    @property
    def state(self) -> Any:
        """The task, and what it has earned as it stands."""
        rollout = self._rollout
        if rollout is None:
            return TaskState(episode_id=None, step_count=0)
        return TaskState(
            episode_id=self._episode, step_count=rollout.commands, task=self._task, score=rollout.score().reward
        )

    def list_splits(self) -> list[str]:
        """Return the names of the splits."""
        return list(SPLITS)

    def num_tasks(self, split: str) -> int:
        """Return how many tasks a split has."""
        self._check(split, 0)
        return TASKS[split]

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """Return what is told of a task before it begins.

        Raises:
            IndexError: There is no such split or index.
        """
        self._check(split, index)
        return {"id": f"{split}-{index}", "index": index, "split": split}

    def get_task_range(self, split: str, start: int | None = None, stop: int | None = None) -> list[dict[str, Any]]:
        """Return tasks from one index to another."""
        return [self.get_task(split, index) for index in range(*slice(start, stop).indices(TASKS[split]))]

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """Return the first tasks of a split."""
        return self.get_task_range(split, 0, 100)

    def close(self) -> None:
        """Forget the task."""
        self._rollout = None

    def _observe(self, rollout: Rollout, text: str) -> Any:
        done = rollout.done
        reward = rollout.score().reward if done else 0.0
        offers = [] if done else rollout.offers()
        return TaskObservation(text=text, commands=offers, task=self._task, done=done, reward=reward)

    @staticmethod
    def _check(split: str, index: int) -> None:
        if split not in TASKS:
            raise IndexError(f"there is no split {split!r}; splits: {', '.join(TASKS)}")
        if not isinstance(index, int) or not 0 <= index < TASKS[split]:
            raise IndexError(f"the split {split} has no task {index!r}; its tasks are 0 to {TASKS[split] - 1}")


_Environment: Any = type("TaskEnvironment", (TaskSessions, Environment), {})


def factory(kind: str, seed: int = 0, most: int = 50, **source: Any) -> Callable[[], Any]:
    """Return what makes an environment for each session.

    Raises:
        UsageError: There is no such kind, option or value.
    """
    kinds = {split: make_kind(kind, {**source, "split": split}) for split in SPLITS}
    check_seed(kinds["train"], seed)
    numbers = count()
    return lambda: _Environment(kinds, numbers, seed, most)


async def _refuse(request: object, error: Exception) -> Any:
    return JSONResponse({"detail": str(error)}, 400)


def serve(kind: str, host: str, port: int, sessions: int, seed: int = 0, **source: Any) -> None:
    """Serve tasks until the process is ended."""
    app = create_fastapi_app(
        factory(kind, seed, **source), CommandAction, TaskObservation, max_concurrent_envs=sessions
    )
    for error in (IndexError, RuntimeError):  # as where the protocol has sessions; else HTTP would say nothing
        app.add_exception_handler(error, _refuse)
    uvicorn.run(app, host=host, port=port, log_level="warning")
