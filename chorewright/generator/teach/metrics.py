"""TEACh's metrics: success and goal conditions, also trajectory-weighted (paper, section 4.1); files of games.

One inferred trajectory is measured exactly as the benchmark's code does, and so is a set of them. That code
differs from the paper in two ways, so both readings are given and named:

- goal-condition success of a set is a micro average in the code (all goal conditions of all instances in one
  pot), a macro average in the paper (the mean of the instances' fractions);
- trajectory weighting of a set weighs each instance by the length of its reference once more in the code; in
  the paper's formula it is the plain mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from chorewright.domains.teach.definition import Value
from chorewright.domains.teach.world import ObjectWorld, plain_value, world_of
from chorewright.files.json_node import Node, root
from chorewright.files.json_source import load_json

MOST_STEPS = 1000
"""Actions after which an inference ends."""

MOST_FAILURES = 30
"""Failed actions after which an inference ends."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """Goal conditions in a state: how many there are, and how many hold (never counted as more)."""

    total: int
    satisfied: int

    @property
    def missing(self) -> int:
        """How many do not hold."""
        return self.total - min(self.total, self.satisfied)


@dataclass(frozen=True, slots=True)
class Measured:
    """One inferred trajectory.

    Attributes:
        success: Whether the task, or all expected state changes, are there at the end.
        initial: Goal conditions at the start.
        final: Goal conditions at the end.
        reference_length: Actions of the reference, its Stop included.
        length: Actions of the inference.
        stopped: Whether it ended with Stop.
        failures: How many of its actions failed.
        error: Whether the inference broke down; it counts as failed.
    """

    success: bool
    initial: Conditions
    final: Conditions
    reference_length: int
    length: int
    stopped: bool = False
    failures: int = 0
    error: bool = False

    @property
    def needed(self) -> int:
        """Goal conditions that did not hold at the start."""
        return self.initial.missing

    @property
    def completed(self) -> int:
        """Of these, how many fewer are missing at the end; negative if more are."""
        return self.needed - self.final.missing

    @property
    def goal_conditions(self) -> float:
        """The fraction completed; 1 if none was needed, below 0 if things got worse."""
        return 1 - self.final.missing / self.needed if self.needed else 1.0

    @property
    def weight(self) -> float:
        """The length of the reference over that of the longer of the two trajectories."""
        longer = max(self.reference_length, self.length)
        return self.reference_length / longer if longer else 1.0


@dataclass(frozen=True, slots=True)
class Scores:
    """The metrics of a set of trajectories, as fractions; 0 where there is nothing to average.

    Attributes:
        evaluated: How many there are.
        successes: How many succeeded.
        completed: Goal conditions completed, of all trajectories.
        needed: Goal conditions that were to be completed.
        success_rate: SR.
        goal_conditions_micro: GC as coded: completed over needed.
        goal_conditions_macro: GC as the paper says: the mean of the fractions.
        weighted_success: TLW-SR as coded, weighted by length twice.
        weighted_goal_conditions: TLW-GC as coded.
        mean_weighted_success: TLW-SR by the paper's formula, the plain mean.
        mean_weighted_goal_conditions: TLW-GC by the paper's formula.
        stopped: How many ended with Stop.
        by_failures: How many ended by too many failed actions.
        by_length: How many ended by too many actions.
        errors: How many broke down.
    """

    evaluated: int
    successes: int
    completed: int
    needed: int
    success_rate: float
    goal_conditions_micro: float
    goal_conditions_macro: float
    weighted_success: float
    weighted_goal_conditions: float
    mean_weighted_success: float
    mean_weighted_goal_conditions: float
    stopped: int
    by_failures: int
    by_length: int
    errors: int


def scores(measured: Sequence[Measured]) -> Scores:
    """Return the metrics of a set of trajectories; an empty one, or one without goal conditions, has 0s."""
    completed = sum(one.completed for one in measured)
    needed = sum(one.needed for one in measured)
    reference = sum(one.reference_length for one in measured)

    def mean(value: Callable[[Measured], float]) -> float:
        return sum(map(value, measured)) / len(measured) if measured else 0.0

    def by_reference(value: Callable[[Measured], float]) -> float:
        return sum(value(one) * one.reference_length for one in measured) / reference if reference else 0.0

    return Scores(
        evaluated=len(measured),
        successes=sum(one.success for one in measured),
        completed=completed,
        needed=needed,
        success_rate=mean(lambda one: one.success),
        goal_conditions_micro=completed / needed if needed else 0.0,
        goal_conditions_macro=mean(lambda one: one.goal_conditions),
        weighted_success=by_reference(lambda one: one.success * one.weight),
        weighted_goal_conditions=by_reference(lambda one: one.goal_conditions * one.weight),
        mean_weighted_success=mean(lambda one: one.success * one.weight),
        mean_weighted_goal_conditions=mean(lambda one: one.goal_conditions * one.weight),
        stopped=sum(one.stopped for one in measured),
        by_failures=sum(one.failures >= MOST_FAILURES for one in measured),
        by_length=sum(one.length >= MOST_STEPS for one in measured),
        errors=sum(one.error for one in measured),
    )


def scores_json(found: Scores) -> dict[str, object]:
    """Return the metrics of a set: those of the benchmark's code in its words, then the paper's own."""
    return {
        "success": {"num_successes": found.successes, "num_evals": found.evaluated, "success_rate": found.success_rate},
        "goal_condition_success": {
            "completed_goal_conditions": found.completed,
            "total_goal_conditions": found.needed,
            "goal_condition_success_rate": found.goal_conditions_micro,
        },
        "path_length_weighted_success_rate": found.weighted_success,
        "path_length_weighted_goal_condition_success_rate": found.weighted_goal_conditions,
        "num_predicted_stops": found.stopped,
        "num_fails_by_api_limit": found.by_failures,
        "num_fails_by_traj_len_limit": found.by_length,
        "num_fails_by_error": found.errors,
        "macro_goal_condition_success_rate": found.goal_conditions_macro,
        "mean_trajectory_weighted_success_rate": found.mean_weighted_success,
        "mean_trajectory_weighted_goal_condition_success_rate": found.mean_weighted_goal_conditions,
    }


# TEACh's files as others wrote them: game files, EDH and TfD instances, inferred actions.
#
# Only what evaluation and checking need is read and required; whatever else a file holds is left alone. A game
# is one task and one episode with initial state, interactions and final state; an instance is a part of a game
# that is to be inferred.


MOST_BYTES = 200_000_000
"""A game has two states with the metadata of some hundred objects each: a few megabytes."""

GAME = ".game.json"
"""How the names of game files end."""

COMMANDER, DRIVER = 0, 1
"""Agents of a game; the Driver is the paper's Follower."""


def read_json(path: Path) -> Node:
    """Read a JSON file.

    Raises:
        UsageError: It cannot be read.
        InputError: It is not JSON.
        LimitError: It is too large or nested too deep.
    """
    return root(load_json(path, MOST_BYTES, strict=False))


@dataclass(frozen=True, slots=True)
class Interaction:
    """One action of an agent, as far as evaluation looks at it."""

    agent: int
    action: int
    success: bool
    node: Node


@dataclass(frozen=True, slots=True)
class TeachGame:
    """A session: what was to be done, and the episode."""

    task: str
    params: tuple[str, ...]
    episode: Node

    @property
    def world(self) -> str:
        """The room, e.g. ``FloorPlan12``."""
        return self.episode["world"].text().removesuffix("_physics")

    def state(self, name: str, classes: Mapping[str, tuple[str, ...]]) -> ObjectWorld:
        """Return ``initial_state`` or ``final_state`` as the progress check sees it.

        Raises:
            InputError: It is missing, or is no state.
        """
        node = self.episode[name]
        with node.locate():
            return world_of(node.value, classes, path=node.path)

    def interactions(self) -> tuple[Interaction, ...]:
        """Return all actions, in order."""
        found = []
        for node in self.episode["interactions"].items():
            agent, action = node["agent_id"].whole(), node["action_id"].whole()
            success = node["success"].value if "success" in node else 1
            found.append(Interaction(agent, action, bool(success), node))
        return tuple(found)


def is_game(value: object) -> bool:
    """Whether a JSON value looks like a game file."""
    return isinstance(value, Mapping) and "tasks" in value and "objects" not in value


def read_game(path: Path) -> TeachGame:
    """Read a game file.

    Raises:
        InputError: It is no game, or lacks what every game has.
    """
    root = read_json(path)
    if not is_game(root.value):
        raise root.error("this is no TEACh game: it has no 'tasks'")
    task = root["tasks"].only()
    params = tuple(node.text() for node in task["task_params"].items()) if "task_params" in task else ()
    return TeachGame(task["task_name"].text(), params, task["episodes"].only())


@dataclass(frozen=True, slots=True)
class Instance:
    """A part of a game that is to be inferred: ``<game>.edh<k>`` or ``<game>.tfd``."""

    name: str
    game: str
    reference_length: int
    node: Node

    @property
    def from_history(self) -> bool:
        """Whether it is an EDH instance; else it is a TfD one."""
        return kind_of_instance(self.name) == "edh"

    @property
    def changes(self) -> dict[str, dict[str, Value]]:
        """Of each object the expected changes.

        Raises:
            InputError: They are missing, or are none.
        """
        node = self.node["state_changes"]["objects"]
        found = node.value
        if not isinstance(found, dict) or not all(isinstance(each, dict) for each in found.values()):
            raise node.error("expected the changed properties of each object")
        return {
            name: {prop: plain_value(value) for prop, value in changed.items()}
            for name, changed in found.items()
            if isinstance(changed, dict)
        }


def kind_of_instance(name: str) -> str | None:
    """Return ``edh`` or ``tfd``, as the name of an instance tells; None if it does not."""
    last = name.rpartition(".")[2]
    if last == "tfd":
        return "tfd"
    return "edh" if last.startswith("edh") and last[3:].isdecimal() else None


def read_instance(path: Path) -> Instance:
    """Read an EDH or TfD instance, named after its file.

    Raises:
        InputError: It lacks the actions that are to be inferred.
    """
    root = read_json(path)
    name = path.name.removesuffix(".json")
    length = sum(1 for _ in root["driver_actions_future"].items())
    return Instance(name, name.split(".")[0], length, root)
