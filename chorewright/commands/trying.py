"""The verb ``check-task``: a task tried in rooms or scenes, and what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands import common
from chorewright.commands.generating import effort_of
from chorewright.commands.shell import AsJson, console, exit_unless, print_json, printable, readable, verb
from chorewright.errors import UsageError
from chorewright.files.english import say_count

if TYPE_CHECKING:
    from chorewright.generator.production.attempts import TaskTrial, TrialReport


@verb
def check_task(
    task: str,
    more: common.MoreParams = None,
    rooms: int = 20,
    attempts: int = 3,
    seed: int = 0,
    scenes: Annotated[list[str] | None, typer.Option("--scenes", "--scene")] = None,
    benchmark: str | None = None,
    version: str | None = None,
    evaluations: common.Evaluations = None,
    time_per_episode: common.TimePerEpisode = None,
    engine: common.EngineName = None,
    params: common.Params = None,
    definitions: common.DefinitionsFolder = None,
    kinds: common.KindsFiles = None,
    domain: common.DomainFile = None,
    picture: Annotated[Path | None, typer.Option("--picture", metavar="FOLDER")] = None,
    as_json: AsJson = False,
) -> None:
    """Try a task: make attempts as `generate` makes them, and say stage by stage what fails.

    Exit code 1 if no attempt is accepted.

    Args:
        task: A .task file, or a task's name, as `chorewright tasks` lists it.
        rooms: In how many rooms or scenes.
        attempts: How many in each room; the first that is accepted ends them.
        seed: Other fillings, other places of things.
        scenes: Only this room or scene; may be repeated.
        benchmark: Whose attempts to make; by default the one that the task belongs to.
        version: Which version of the benchmark, if it has several.
        picture: Draw a map of each room that failed into it.
    """
    from chorewright.commands.progress import counting
    from chorewright.generator.production.trying import attempts_of

    if rooms < 1 or attempts < 1 or seed < 0:
        raise UsageError("--rooms and --attempts must be at least 1, and --seed not negative")
    if task.endswith(".task"):
        readable(Path(task))
    given = {
        "scenes": scenes,
        "version": version,
        "params": [" ".join(common.gather(params, more))] if params else None,
        "definitions": [str(definitions)] if definitions else None,
        "kinds": kinds,
        "domain": [domain] if domain else None,
    }
    effort = effort_of(evaluations, time_per_episode, engine)
    task_attempts = attempts_of(task, rooms, seed, given, benchmark, attempts, effort)
    with counting("check-task") as tell:
        done = 0

        def count(trial: TaskTrial) -> None:
            nonlocal done
            done += 1
            tell(done, len(task_attempts.asked.assignments))

        report = task_attempts.run(count)
    drawn = [] if picture is None else _draw(report, picture)
    if as_json:
        print_json(_report_json(report))
    else:
        _print_report(report)
        if picture is not None:
            print(printable(f"maps: {', '.join(drawn) or 'none, as no room failed'}"))
    exit_unless(report.solved > 0)


def _draw(report: TrialReport, folder: Path) -> list[str]:
    """Draw maps of the rooms that failed into a folder; return the files' names."""
    from chorewright.generator.showing.moments import write_picture

    drawn = []
    for trial in report.trials:
        if trial.accepted or trial.draw is None:
            continue
        picture = trial.draw()
        if picture is not None:
            path = folder / f"{trial.scene}.png"
            write_picture(path, picture)
            drawn.append(str(path))
    return drawn


def _print_report(report: TrialReport) -> None:
    from rich.table import Column, Table

    filled = any(trial.binding for trial in report.trials)
    heads = (report.asked.places.removesuffix("s"), "filling", "plan", "steps", "result", "sentence")
    table = Table(*(Column(head, overflow="fold") for head in heads if filled or head != "filling"))
    for trial in report.trials:
        filling = ", ".join(f"{slot}={kind}" for slot, kind in trial.binding)
        row = (
            trial.scene,
            *([filling] if filled else []),
            str(trial.actions or "-"),
            str(trial.steps or "-"),
            _result(trial),
            trial.sentence,
        )
        table.add_row(*(printable(cell) for cell in row))
    console().print(table)
    asked, tried = report.asked, len(report.trials)
    fillings = f", {say_count(asked.fillings, 'filling')} of its slots" if asked.fillings else ""
    print(
        printable(
            f"{asked.task}: solved in {report.solved} of {tried} {asked.places} ({report.solved / tried:.0%}), "
            f"{say_count(report.attempts, 'attempt')}; {asked.suited} {asked.places} suit it{fillings}"
        )
    )
    left = report.attempts
    for stage, failed in report.failed.items():
        left -= failed
        print(printable(f"  {stage:<14} {left:>4} passed" + (f", {failed} failed" if failed else "")))
    for reason, count in report.reasons:
        print(printable(f"  {count} x {reason}"))
    for remark, count in report.remarks:
        print(printable(f"remark, {count} of {tried} {asked.places}: {remark}"))
    if asked.note:
        print(printable(f"note: {asked.note}"))
    if report.hint:
        print(printable(f"hint: {report.hint}"))


def _result(trial: TaskTrial) -> str:
    """Say what came of the attempts in one room."""
    if trial.accepted:
        return "ok" if not trial.rejected else f"ok at attempt {trial.attempts}"
    return trial.reason


def _report_json(report: TrialReport) -> dict[str, object]:
    return {
        "task": report.asked.task,
        "tried": len(report.trials),
        "attempts": report.attempts,
        "solved": report.solved,
        "places": report.asked.places,
        "suited": report.asked.suited,
        "fillings": report.asked.fillings,
        "stages": dict(report.failed),
        "reasons": dict(report.reasons),
        "remarks": dict(report.remarks),
        **({"note": report.asked.note} if report.asked.note else {}),
        **({"hint": report.hint} if report.hint else {}),
        "trials": [
            {
                "scene": trial.scene,
                "seed": trial.seed,
                "slots": dict(trial.binding),
                "solved": trial.accepted,
                "attempts": trial.attempts,
                "stage": trial.stage,
                "reason": trial.reason,
                "plan": trial.actions,
                "steps": trial.steps,
                "sentence": trial.sentence,
            }
            for trial in report.trials
        ],
    }
