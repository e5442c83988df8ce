"""Inferences of TEACh's EDH and TfD instances, read from files, checked and measured.

An inference is a pair of files: ``inference__<instance>.json``, a game whose final state is looked at, and
``pred_actions__<instance>.json``, the list of actions. Instances and games are found by name below the folder
of the benchmark's data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from chorewright.domains.library import household_vocabulary
from chorewright.domains.teach.definitions import Definitions
from chorewright.domains.teach.progress import Progress, check
from chorewright.domains.teach.properties import classes
from chorewright.domains.teach.tasks import Task
from chorewright.domains.teach.world import state_changes_task
from chorewright.errors import InputError, UsageError
from chorewright.files.json_node import Node
from chorewright.generator.teach.games import (
    DRIVER,
    Game,
    Instance,
    kind_of_instance,
    read_game,
    read_instance,
    read_json,
)
from chorewright.generator.teach.metrics import Conditions, Measured

INFERENCE, ACTIONS = "inference__", "pred_actions__"

STOP = "Stop"

_INTERACTING = (*range(100), *range(200, 300))
"""Ids of the actions that move the agent or touch objects."""


@dataclass(frozen=True, slots=True)
class Evaluated:
    """One inference: whose it is, and its measure. ``kind`` is ``edh`` or ``tfd``."""

    instance: str
    kind: str
    task: str
    measured: Measured


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All inferences that were found, by name, and the instances without one."""

    evaluated: tuple[Evaluated, ...]
    missing: tuple[str, ...]


def evaluate(
    inferences: Path,
    instances: Path,
    definitions: Definitions,
    watch: Callable[[], object] = lambda: None,
) -> Evaluation:
    """Measure every inference in a folder.

    Args:
        inferences: Where ``inference__*.json`` and ``pred_actions__*.json`` are, at any depth.
        instances: Where the instances and the games are, at any depth.
        definitions: The tasks that TfD is checked with.
        watch: Called after each inference.

    Raises:
        UsageError: There is no such folder, or no inference, or the instance of one is not there.
        InputError: A file lacks what is to be compared; the error has its path and JSON path.
    """
    for folder in (inferences, instances):
        if not folder.is_dir():
            raise UsageError(f"there is no folder {str(folder)!r}")
    inferred = _by_name(inferences, INFERENCE)
    if not inferred:
        raise UsageError(
            f"there are no inferences in {inferences}",
            hint=f"their files are named {INFERENCE}<instance>.json",
        )
    known = {name: path for name, path in _by_name(instances, "").items() if kind_of_instance(name)}
    games = {name: path for name, path in _by_name(instances, "").items() if name.endswith(".game")}
    actions = _by_name(inferences, ACTIONS)
    found = []
    for name, path in inferred.items():
        if name not in known:
            raise UsageError(
                f"{path}: there is no instance {name!r} in {instances}",
                hint="--instances names the folder that has edh_instances/ and tfd_instances/",
            )
        if name not in actions:
            raise UsageError(f"{path}: {ACTIONS}{name}.json is missing", hint="it has the inferred actions")
        instance = read_instance(known[name])
        original = games.get(f"{instance.game}.game")
        game = read_game(path)
        start = read_game(original) if original is not None else game
        predicted = read_json(actions[name])
        measured = _measured(instance, game, start, predicted, definitions)
        found.append(Evaluated(name, "edh" if instance.from_history else "tfd", start.task, measured))
        watch()
    kinds = {one.kind for one in found}
    missing = [name for name in known if name not in inferred and kind_of_instance(name) in kinds]
    return Evaluation(tuple(found), tuple(missing))


def _by_name(folder: Path, prefix: str) -> dict[str, Path]:
    """Return the JSON files of a folder by their names without prefix and ending, sorted.

    Raises:
        UsageError: Two have the same name.
    """
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob(f"{prefix}*.json")):
        name = path.name.removesuffix(".json").removeprefix(prefix)
        if not prefix and name.startswith((INFERENCE, ACTIONS)):
            continue
        if name in found and (prefix or kind_of_instance(name)):
            raise UsageError(f"{path.name} is there twice: {found[name]} and {path}")
        found[name] = path
    return found


@lru_cache(maxsize=1)
def _classes() -> Mapping[str, tuple[str, ...]]:
    return classes(household_vocabulary())


def _measured(instance: Instance, game: Game, start: Game, predicted: Node, definitions: Definitions) -> Measured:
    """Return the measure of one inference."""
    initial, task = _expected(instance, start, definitions)
    actions = list(predicted.items())
    names = [action["action"].text() for action in actions]
    broken = "final_state" not in game.episode
    final, success = initial, False
    if not broken:
        progress = check(task, game.state("final_state", _classes()))
        final, success = _conditions(progress), progress.success
    return Measured(
        success,
        initial,
        final,
        instance.reference_length,
        len(actions),
        bool(names) and names[-1] == STOP,
        _failures(game, actions),
        broken,
    )


def _expected(instance: Instance, start: Game, definitions: Definitions) -> tuple[Conditions, Task]:
    """Return how many goal conditions hold at the start, and the task that is checked at the end."""
    if instance.from_history:
        total = instance.node["expected_init_goal_conditions_total"].whole()
        satisfied = instance.node["expected_init_goal_conditions_satisfied"].whole()
        return Conditions(total, satisfied), state_changes_task(instance.changes)
    try:
        task = definitions.task(start.task, start.params)
    except UsageError as error:
        hint = error.hint or "--definitions names a folder of further definitions"
        raise InputError(f"{start.episode.path}: {error.message}", hint=hint) from error
    return _conditions(check(task, start.state("initial_state", _classes()))), task


def _conditions(progress: Progress) -> Conditions:
    return Conditions(progress.total, progress.satisfied)


def _failures(game: Game, actions: Sequence[Node]) -> int:
    """Return how many of the inferred actions failed: as they say, else as the game's last actions do."""
    if all("success" in action for action in actions):
        return sum(not action["success"].value for action in actions)
    if "interactions" not in game.episode:
        return 0
    own = [each for each in game.interactions() if each.agent == DRIVER and each.action in _INTERACTING]
    return sum(not each.success for each in own[max(0, len(own) - len(actions)) :])
