"""The verb that measures TEACh's inferences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands.shell import AsJson, console, print_json, printable, verb
from chorewright.commands.teaching import DefinitionsFolder, loaded

if TYPE_CHECKING:
    from rich.table import Table

    from chorewright.generator.teach_evaluation import Evaluated
    from chorewright.generator.teach_metrics import Scores

TITLES = {"edh": "Execution from Dialogue History (EDH)", "tfd": "Trajectory from Dialogue (TfD)"}

OVERALL = "overall"


@verb
def evaluate(
    folder: Annotated[
        Path, typer.Argument(help="TEACh's data: games/, edh_instances/ and tfd_instances/, at any depth.")
    ],
    instances: Annotated[
        Path | None, typer.Option("--instances", help="Where instances and games are, if elsewhere.")
    ] = None,
    inference: Annotated[
        Path | None,
        typer.Option("--inference", help="Where inference__*.json and pred_actions__*.json are."),
    ] = None,
    definitions: DefinitionsFolder = None,
    as_json: AsJson = False,
) -> None:
    """Measure inferences of TEACh's EDH and TfD instances: SR, GC and trajectory-weighted forms, by task."""
    from chorewright.generator.teach_evaluation import evaluate as run

    with _progress() as watch:
        found = run(inference or folder, instances or folder, loaded(definitions), watch)
    groups = {kind: _by_task(one for one in found.evaluated if one.kind == kind) for kind in TITLES}
    groups = {kind: tasks for kind, tasks in groups.items() if len(tasks) > 1}
    if as_json:
        print_json(
            {
                "folder": str(folder),
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


@contextmanager
def _progress() -> Iterator[Callable[[], object]]:
    """Yield what counts inferences on a terminal."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

    shown = Console(stderr=True)
    if not shown.is_terminal:
        yield lambda: None
        return
    columns = (SpinnerColumn(), TextColumn("inferences"), MofNCompleteColumn())
    with Progress(*columns, console=shown, transient=True) as progress:
        bar = progress.add_task("evaluate", total=None)
        yield lambda: progress.advance(bar)


def _by_task(found: Iterable[Evaluated]) -> dict[str, Scores]:
    """Return the metrics by task, sorted, and at last overall."""
    from chorewright.generator.teach_metrics import scores

    one_by_one = list(found)
    tasks: dict[str, list[Evaluated]] = {}
    for one in sorted(one_by_one, key=lambda one: one.task):
        tasks.setdefault(one.task, []).append(one)
    groups: dict[str, Sequence[Evaluated]] = {**tasks, OVERALL: one_by_one}
    return {name: scores([one.measured for one in group]) for name, group in groups.items()}


def _json(tasks: Mapping[str, Scores]) -> dict[str, object]:
    from chorewright.generator.teach_metrics import scores_json

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
        table.add_row(
            printable(name), str(found.evaluated), *(f"{100 * fraction:.2f}" for fraction in fractions)
        )
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
