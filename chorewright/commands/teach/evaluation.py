"""The verb that measures TEACh's inferences, and agents that complete its tasks by talking."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands.common import DefinitionsFolder
from chorewright.commands.shell import AsJson, console, print_json, printable, verb
from chorewright.commands.teach.checking import task_name
from chorewright.errors import UsageError
from chorewright.files.processes import usable_cores

if TYPE_CHECKING:
    from rich.table import Table

    from chorewright.generator.teach.evaluation import Evaluated
    from chorewright.generator.teach.metrics import Scores
    from chorewright.generator.teach.tatc_evaluation import Played, Result

TITLES = {"edh": "Execution from Dialogue History (EDH)", "tfd": "Trajectory from Dialogue (TfD)"}

OVERALL = "overall"


@verb
def evaluate(
    folder: Annotated[
        Path | None,
        typer.Argument(help="TEACh's data: games/, edh_instances/ and tfd_instances/, at any depth."),
    ] = None,
    instances: Annotated[
        Path | None, typer.Option("--instances", help="Where instances and games are, if elsewhere.")
    ] = None,
    inference: Annotated[
        Path | None,
        typer.Option("--inference", help="Where inference__*.json and pred_actions__*.json are."),
    ] = None,
    definitions: DefinitionsFolder = None,
    agents: Annotated[
        str | None,
        typer.Option("--agents", help="Instead of a folder: a pair that plays TATC: planner, or module:attribute."),
    ] = None,
    sessions: Annotated[int, typer.Option("--sessions", help="TATC: so many of each task.")] = 20,
    tasks: Annotated[list[str] | None, typer.Option("--tasks", help="TATC: only this task; may be repeated.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="TATC: another seed, other rooms and parameters.")] = 0,
    workers: Annotated[
        int | None, typer.Option("--workers", help="TATC: processes; all cores by default, 0: this one only.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure inferences of TEACh's EDH and TfD instances, or a pair of agents in TATC, by task."""
    if agents is not None:
        if folder is not None:
            raise UsageError("--agents play sessions of their own; no folder is evaluated then")
        if definitions is not None:
            raise UsageError("--agents play the shipped tasks; --definitions are for inferences")
        _evaluate_agents(agents, sessions, tasks or [], seed, workers, as_json)
        return
    inferred, data = inference or folder, instances or folder
    if inferred is None or data is None:
        raise UsageError("give the folder of TEACh's data, or --agents planner for TATC")
    _evaluate_inferences(inferred, data, definitions, as_json)


def _evaluate_inferences(inferred: Path, data: Path, definitions: Path | None, as_json: bool) -> None:
    from chorewright.generator.teach.evaluation import evaluate as run
    from chorewright.generator.teach.task_language import loaded

    with _progress("inferences") as watch:
        found = run(inferred, data, loaded(definitions), watch)
    groups = {kind: _by_task(one for one in found.evaluated if one.kind == kind) for kind in TITLES}
    groups = {kind: tasks for kind, tasks in groups.items() if len(tasks) > 1}
    if as_json:
        print_json(
            {
                "folder": str(data),
                **{kind: _json(tasks) for kind, tasks in groups.items()},
                "without_inference": list(found.missing),
            }
        )
        return
    for kind, tasks in groups.items():
        console().print(_table(TITLES[kind], tasks))
        _print_notes(tasks[OVERALL])
    if found.missing:
        print(f"{len(found.missing)} instances have no inference and are not counted")


def _evaluate_agents(
    agents: str, sessions: int, names: list[str], seed: int, workers: int | None, as_json: bool
) -> None:
    """Let agents play, and print success, goal conditions and actions by task."""
    from chorewright.domains.teach.definitions import shipped_definitions
    from chorewright.generator.teach import tatc_evaluation as tatc

    if sessions < 1 or seed < 0 or (workers is not None and workers < 0):
        raise UsageError("--sessions must be at least 1, --seed and --workers not negative")
    wanted = [shipped_definitions().find(task_name(name)).name for name in names] or list(tatc.tasks())
    cores = usable_cores() if workers is None else workers
    groups: dict[str, list[Played]] = {}
    with _progress("sessions") as watch:
        for one in tatc.evaluate_agents(wanted, sessions, seed, cores, agents):
            groups.setdefault(one.task, []).append(one)
            watch()
    groups[OVERALL] = [one for group in groups.values() for one in group]
    results = {name: tatc.summary(group) for name, group in groups.items()}
    if as_json:
        print_json({"agents": agents, "seed": seed, "tasks": {name: asdict(one) for name, one in results.items()}})
    else:
        console().print(_agents_table(agents, results))


def _agents_table(agents: str, results: Mapping[str, Result]) -> Table:
    from rich.table import Table

    title = f"Two-Agent Task Completion (TATC), {agents}"
    table = Table(title=printable(title), title_justify="left")
    table.add_column("", overflow="fold")
    for heading in ("n", "SR %", "GC %", "actions", "said", "failed"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, one in results.items():
        if name == OVERALL:
            table.add_section()
        table.add_row(
            printable(name),
            str(one.sessions),
            f"{100 * one.success:.1f}",
            f"{100 * one.goal_conditions:.1f}",
            f"{one.actions:.1f} ±{one.actions_deviation:.1f}",
            f"{one.utterances:.1f}",
            f"{one.failures:.1f}",
        )
    return table


@contextmanager
def _progress(what: str) -> Iterator[Callable[[], object]]:
    """Yield what counts on a terminal."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

    shown = Console(stderr=True)
    if not shown.is_terminal:
        yield lambda: None
        return
    columns = (SpinnerColumn(), TextColumn(what), MofNCompleteColumn())
    with Progress(*columns, console=shown, transient=True) as progress:
        bar = progress.add_task("evaluate", total=None)
        yield lambda: progress.advance(bar)


def _by_task(found: Iterable[Evaluated]) -> dict[str, Scores]:
    """Return the metrics by task, sorted, and at last overall."""
    from chorewright.generator.teach.metrics import scores

    one_by_one = list(found)
    tasks: dict[str, list[Evaluated]] = {}
    for one in sorted(one_by_one, key=lambda one: one.task):
        tasks.setdefault(one.task, []).append(one)
    groups: dict[str, Sequence[Evaluated]] = {**tasks, OVERALL: one_by_one}
    return {name: scores([one.measured for one in group]) for name, group in groups.items()}


def _json(tasks: Mapping[str, Scores]) -> dict[str, object]:
    from chorewright.generator.teach.metrics import scores_json

    by_task = {name: scores_json(found) for name, found in tasks.items() if name != OVERALL}
    return {**scores_json(tasks[OVERALL]), "tasks": by_task}


def _table(title: str, tasks: Mapping[str, Scores]) -> Table:
    from rich.table import Table

    table = Table(title=printable(title), title_justify="left", caption="percent", caption_justify="left")
    table.add_column("", overflow="fold")
    for heading in ("n", "SR", "TLW", "GC", "TLW", "GC macro"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, found in tasks.items():
        if name == OVERALL:
            table.add_section()
        fractions = (
            found.success_rate,
            found.weighted_success,
            found.goal_conditions_micro,
            found.weighted_goal_conditions,
            found.goal_conditions_macro,
        )
        table.add_row(printable(name), str(found.evaluated), *(f"{100 * fraction:.2f}" for fraction in fractions))
    return table


def _print_notes(found: Scores) -> None:
    print(
        f"  {found.successes} of {found.evaluated} succeeded; "
        f"{found.completed} of {found.needed} goal conditions were completed"
    )
    print(
        f"  by the paper's formula TLW is {100 * found.mean_weighted_success:.2f} (SR) "
        f"and {100 * found.mean_weighted_goal_conditions:.2f} (GC)"
    )
    print(
        f"  ended with Stop: {found.stopped}, by failed actions: {found.by_failures}, "
        f"by length: {found.by_length}, by errors: {found.errors}"
    )
