"""TEACh measured: inferences of EDH and TfD instances, read from files, and agents that complete tasks by talking.

An inference is a pair of files: ``inference__<instance>.json``, a game whose final state is looked at, and
``pred_actions__<instance>.json``, the list of actions. Instances and games are found by name below the folder
of the benchmark's data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from chorewright.domains.library import household_vocabulary
from chorewright.domains.teach.definition import TeachTask
from chorewright.domains.teach.definitions import Definitions
from chorewright.domains.teach.progress import Progress, check
from chorewright.domains.teach.world import state_changes_task
from chorewright.errors import InputError, UsageError
from chorewright.files.json_node import Node
from chorewright.generator.measuring.evaluation import OVERALL, Episodes, Evaluation, Sheet, Summary, checksum, group_by
from chorewright.generator.teach import metrics
from chorewright.generator.teach import tatc_evaluation as tatc
from chorewright.generator.teach.compiling import load
from chorewright.generator.teach.options import TeachTrial
from chorewright.generator.teach.tatc_evaluation import SessionScore

INFERENCE, ACTIONS = "inference__", "pred_actions__"

TITLES = {"edh": "Execution from Dialogue History (EDH)", "tfd": "Trajectory from Dialogue (TfD)"}

STOP = "Stop"

_INTERACTING = (*range(100), *range(200, 300))
"""Ids of the actions that move the agent or touch objects."""


@dataclass(frozen=True, slots=True)
class InferenceScore:
    """One inference: whose it is, and its measure. ``kind`` is ``edh`` or ``tfd``."""

    instance: str
    kind: str
    task: str
    measured: metrics.Measured


class TeachEvaluation(Evaluation[TeachTrial, "InferenceScore | SessionScore"]):
    """Measure inferences of TEACh's EDH and TfD instances, or a pair of agents in TATC, by task."""

    options = TeachTrial

    def open(self, trial: TeachTrial) -> Episodes[InferenceScore | SessionScore]:
        """Return the inferences of a folder, or the sessions that agents play."""
        if not trial.agent:
            return _inferences(trial)
        if trial.dataset:
            raise UsageError("--agents play sessions of their own; no folder is evaluated then")
        if trial.definitions:
            raise UsageError("--agents play the shipped tasks; --definitions are for inferences")
        return tatc.sessions(trial)

    def summary(self, trial: TeachTrial, every: Sequence[InferenceScore | SessionScore], columns: int) -> Summary:
        """Return the scores by task."""
        if trial.agent:
            return tatc.summary(trial, [each for each in every if isinstance(each, SessionScore)])
        inferences = [each for each in every if isinstance(each, InferenceScore)]
        groups = {kind: by_task([each for each in inferences if each.kind == kind]) for kind in TITLES}
        groups = {kind: tasks for kind, tasks in groups.items() if len(tasks) > 1}
        missing = without_inference(trial, frozenset(groups))
        values = {kind: _json(tasks) for kind, tasks in groups.items()}
        parts: list[Sheet | str] = []
        for kind, tasks in groups.items():
            parts += [_sheet(TITLES[kind], tasks), *_notes(tasks[OVERALL])]
        if missing:
            parts.append(f"{len(missing)} instances have no inference and are not counted")
        return Summary({"folder": str(_folders(trial)[1]), **values, "without_inference": list(missing)}, parts)


def _folders(trial: TeachTrial) -> tuple[Path, Path]:
    """Return where the inferences are, and where the instances and games are."""
    inferred, data = trial.inference or trial.dataset, trial.instances or trial.dataset
    if not inferred or not data:
        raise UsageError("give the folder of TEACh's data, or --agents planner for TATC")
    for folder in (inferred, data):
        if not Path(folder).is_dir():
            raise UsageError(f"there is no folder {folder!r}")
    return Path(inferred), Path(data)


def _inferences(trial: TeachTrial) -> Episodes[InferenceScore]:
    """Return the inferences of a folder.

    Raises:
        UsageError: There is no such folder, or no inference, or the instance of one is not there.
    """
    inferences, instances = _folders(trial)
    definitions = load(Path(trial.definitions) if trial.definitions else None)
    inferred = by_name(inferences, INFERENCE)
    if not inferred:
        raise UsageError(
            f"there are no inferences in {inferences}", hint=f"their files are named {INFERENCE}<instance>.json"
        )
    every = by_name(instances, "")
    known = {name: path for name, path in every.items() if metrics.kind_of_instance(name)}
    games = {name: path for name, path in every.items() if name.endswith(".game")}
    actions = by_name(inferences, ACTIONS)
    names = list(inferred)

    def measure(index: int) -> InferenceScore:
        name = names[index]
        path = inferred[name]
        if name not in known:
            raise UsageError(
                f"{path}: there is no instance {name!r} in {instances}",
                hint="--instances names the folder that has edh_instances/ and tfd_instances/",
            )
        if name not in actions:
            raise UsageError(f"{path}: {ACTIONS}{name}.json is missing", hint="it has the inferred actions")
        instance, game = metrics.read_instance(known[name]), metrics.read_game(path)
        original = games.get(f"{instance.game}.game")
        start = metrics.read_game(original) if original is not None else game
        measured = _measure(instance, game, start, metrics.read_json(actions[name]), definitions)
        return InferenceScore(name, "edh" if instance.from_history else "tfd", start.task, measured)

    def content() -> str:
        files = [*inferred.values(), *actions.values(), *every.values()]
        return checksum([(path.name, sha256(path.read_bytes()).hexdigest()) for path in files])

    return Episodes(InferenceScore, len(names), content, measure)


def without_inference(trial: TeachTrial, kinds: frozenset[str]) -> tuple[str, ...]:
    """Return the instances of some kinds that nothing was inferred of."""
    inferences, instances = _folders(trial)
    inferred = by_name(inferences, INFERENCE)
    return tuple(
        name for name in by_name(instances, "") if name not in inferred and metrics.kind_of_instance(name) in kinds
    )


def by_name(folder: Path, prefix: str) -> dict[str, Path]:
    """Return the JSON files of a folder by their names without prefix and ending, sorted.

    Raises:
        UsageError: Two have the same name.
    """
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob(f"{prefix}*.json")):
        name = path.name.removesuffix(".json").removeprefix(prefix)
        if not prefix and name.startswith((INFERENCE, ACTIONS)):
            continue
        if name in found and (prefix or metrics.kind_of_instance(name)):
            raise UsageError(f"{path.name} is there twice: {found[name]} and {path}")
        found[name] = path
    return found


def _measure(
    instance: metrics.Instance,
    game: metrics.TeachGame,
    start: metrics.TeachGame,
    predicted: Node,
    definitions: Definitions,
) -> metrics.Measured:
    """Return the measure of one inference."""
    initial, task = _expectation(instance, start, definitions)
    actions = list(predicted.items())
    names = [action["action"].text() for action in actions]
    broken = "final_state" not in game.episode
    final, success = initial, False
    if not broken:
        progress = check(task, game.state("final_state", household_vocabulary().classes))
        final, success = _conditions(progress), progress.success
    return metrics.Measured(
        success,
        initial,
        final,
        instance.reference_length,
        len(actions),
        bool(names) and names[-1] == STOP,
        _failures(game, actions),
        broken,
    )


def _expectation(
    instance: metrics.Instance, start: metrics.TeachGame, definitions: Definitions
) -> tuple[metrics.Conditions, TeachTask]:
    """Return how many goal conditions hold at the start, and the task that is checked at the end."""
    if instance.from_history:
        total = instance.node["expected_init_goal_conditions_total"].whole()
        satisfied = instance.node["expected_init_goal_conditions_satisfied"].whole()
        return metrics.Conditions(total, satisfied), state_changes_task(instance.changes)
    try:
        task = definitions.task(start.task, start.params)
    except UsageError as error:
        hint = error.hint or "--definitions names a folder of further definitions"
        raise InputError(f"{start.episode.path}: {error.message}", hint=hint) from error
    return _conditions(check(task, start.state("initial_state", household_vocabulary().classes))), task


def _conditions(progress: Progress) -> metrics.Conditions:
    return metrics.Conditions(progress.total, progress.satisfied)


def _failures(game: metrics.TeachGame, actions: Sequence[Node]) -> int:
    """Return how many of the inferred actions failed: as they say, else as the game's last actions do."""
    if all("success" in action for action in actions):
        return sum(not action["success"].value for action in actions)
    if "interactions" not in game.episode:
        return 0
    own = [each for each in game.interactions() if each.agent == metrics.DRIVER and each.action in _INTERACTING]
    return sum(not each.success for each in own[max(0, len(own) - len(actions)) :])


def by_task(inferences: Sequence[InferenceScore]) -> dict[str, metrics.Scores]:
    """Return the metrics by task, sorted, and at last overall."""
    groups = {**group_by(inferences, lambda each: each.task), OVERALL: list(inferences)}
    return {name: metrics.scores([each.measured for each in group]) for name, group in groups.items()}


def _json(tasks: Mapping[str, metrics.Scores]) -> dict[str, object]:
    every = {name: metrics.scores_json(each) for name, each in tasks.items() if name != OVERALL}
    return {**metrics.scores_json(tasks[OVERALL]), "tasks": every}


def _sheet(title: str, tasks: Mapping[str, metrics.Scores]) -> Sheet:
    rows: list[Sequence[str] | None] = []
    for name, each in tasks.items():
        fractions = (
            each.success_rate,
            each.weighted_success,
            each.goal_conditions_micro,
            each.weighted_goal_conditions,
            each.goal_conditions_macro,
        )
        rows += [None] if name == OVERALL else []
        rows.append((name, str(each.evaluated), *(f"{100 * fraction:.2f}" for fraction in fractions)))
    return Sheet(("", "n", "SR", "TLW", "GC", "TLW", "GC macro"), rows, title, "percent", framed=True)


def _notes(overall: metrics.Scores) -> tuple[str, ...]:
    return (
        f"  {overall.successes} of {overall.evaluated} succeeded; "
        f"{overall.completed} of {overall.needed} goal conditions were completed",
        f"  by the paper's formula TLW is {100 * overall.mean_weighted_success:.2f} (SR) "
        f"and {100 * overall.mean_weighted_goal_conditions:.2f} (GC)",
        f"  ended with Stop: {overall.stopped}, by failed actions: {overall.by_failures}, "
        f"by length: {overall.by_length}, by errors: {overall.errors}",
    )
