"""The verbs that measure agents and answers by the same flags, serve tasks to trainers, and try a task of one's own."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from socket import AF_INET, AF_INET6, create_server
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chorewright.commands import common
from chorewright.commands.common import OutFolder, refuse_others
from chorewright.commands.generating import PluginGroup, description_of, effort_of, with_options
from chorewright.commands.shell import AsJson, answer, console, exit_unless, print_json, printable, readable, verb
from chorewright.errors import UsageError
from chorewright.files.english import say_count
from chorewright.files.plugins import Origin, Registry

if TYPE_CHECKING:
    from rich.table import Table

    from chorewright.generator.measuring.evaluation import Evaluation, Sheet
    from chorewright.generator.production.attempts import TaskTrial, TrialReport


EVALUATIONS: Registry[Evaluation[Any, Any]] = Registry("chorewright.evaluations", "evaluation", ("open", "summary"))
"""What is measured, shipped or of other packages."""


class EvaluationGroup(PluginGroup):
    """``chorewright evaluate``: its commands are the evaluations that are installed, and verbs of other packages."""

    def registry(self) -> Registry[Any]:
        """Return the evaluations."""
        return EVALUATIONS

    def verb(self, name: str) -> Callable[..., None]:
        """Return the verb of an evaluation."""
        return _evaluate_verb(name, *description_of(self.registry(), name))


def _common(as_json: AsJson = False) -> None:
    """What all evaluations have besides their trials' options."""


def _evaluate_verb(name: str, summary: str, options: type) -> Callable[..., None]:
    """Return the verb that measures: the flags of a trial, those that all trials have last."""
    from chorewright.generator.dataset.options import declare
    from chorewright.generator.measuring.trial import Trial

    last = {each.name: place for place, each in enumerate(declare(Trial))}
    own = sorted(declare(options), key=lambda each: last.get(each.name, -1))

    def evaluate(**given: Any) -> None:
        from chorewright.commands.progress import counting
        from chorewright.generator.measuring.evaluation import play

        evaluation = EVALUATIONS.find(name, Origin.PERSON)
        words = {each.name: given[each.name] for each in own if given[each.name] not in (None, [], ())}
        trial = options(**{key: tuple(word) if isinstance(word, list) else word for key, word in words.items()})
        refuse_others(name, Path(getattr(trial, "dataset", "")))
        with counting("evaluate", "episodes") as watch:
            scores = play(evaluation, trial, watch)
        summary = evaluation.summary(trial, scores, console().width)
        if given["as_json"]:
            print_json(summary.values)
            return
        for part in summary.parts:
            if isinstance(part, str):
                print(printable(part))
            else:
                console().print(_table(part))

    evaluate.__doc__ = summary
    return verb(with_options(evaluate, _common, own))


def _table(sheet: Sheet) -> Table:
    """Return a table as rich draws it."""
    from rich import box
    from rich.table import Table

    table = Table(
        title=printable(sheet.title) or None,
        title_justify="left",
        caption=sheet.caption or None,
        caption_justify="left",
        padding=(0, sheet.padding),
        box=box.HEAVY_HEAD if sheet.framed else box.SIMPLE,
        show_edge=sheet.framed,
        pad_edge=sheet.framed,
    )
    first, *others = sheet.headings
    table.add_column(first, overflow="fold" if sheet.framed else "ellipsis", no_wrap=not sheet.framed)
    for heading in others:
        table.add_column(heading, justify="right", no_wrap=sheet.framed)
    for row in sheet.rows:
        if row is None:
            table.add_section()
        else:
            table.add_row(*map(printable, row))
    return table


# Tasks for trainers of language models.


ENVIRONMENTS = {"pddl": "domain-game"}
"""Names of environments that are not those of their kinds of tasks."""


@verb
def serve_openenv(
    environment: Annotated[str, typer.Option("--env", metavar="KIND[:DOMAIN]")],
    host: str = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=1, max=65535)] = 8000,
    sessions: Annotated[int, typer.Option("--sessions", min=1)] = 64,
    seed: Annotated[int, typer.Option("--seed", min=0)] = 0,
) -> None:
    """Serve tasks as an OpenEnv environment until the process is ended; each session has a task of its own.

    Args:
        environment: Which tasks: a kind, perhaps of a domain: plan:blocks; pddl:blocks for games.
        host: The address to listen at; 0.0.0.0 lets other machines connect.
        port: The port.
        sessions: The most sessions at a time.
        seed: Another seed, other tasks.
    """
    try:  # the port is told to be taken before anything is loaded
        create_server((host, port), family=AF_INET6 if ":" in host else AF_INET).close()
    except OSError as error:
        raise UsageError(f"cannot listen: {error.strerror}", hint="give another --port or --host") from error
    from chorewright.generator.rewards.judging import make_kind

    name, _, domain = environment.partition(":")
    kind, source = ENVIRONMENTS.get(name, name), {"domain": domain} if domain else {}
    make_kind(kind, source)  # mistakes are named first
    from chorewright.rewards.openenv import serve

    print(f"serving {environment} at http://{host}:{port}", file=sys.stderr, flush=True)
    serve(kind, host, port, sessions, seed, **source)


@verb
def rewards(
    kind: Annotated[str, typer.Argument(metavar="KIND")],
    out: OutFolder,
    count: Annotated[int, typer.Option("--count", "-n", min=1)] = 100,
    seed: Annotated[int, typer.Option("--seed", min=0)] = 0,
    split: str = "train",
    domain: list[str] | None = None,
    band: str = "",
    form: Annotated[str, typer.Option("--format")] = "jsonl",
    as_json: AsJson = False,
) -> None:
    """Write a fixed set of tasks for language models, with right answers, facts for the judge, and a card.

    Args:
        kind: The kind of tasks: plan, validate, formalise, ...
        count: How many tasks.
        seed: Another seed, other tasks.
        split: train, or eval for tasks that no training set has.
        domain: Only problems of this domain; may be repeated.
        band: Only problems of this band of costs.
        form: jsonl or parquet.
    """
    from chorewright.generator.rewards.sets import write_set

    given = {"domain": tuple(domain or ()), "band": band}
    source = {"split": split} | {key: value for key, value in given.items() if value}
    found = write_set(out, kind, count, seed, form, **source)
    told = f"{out}: {say_count(int(found['tasks']), 'task')} (sha256 {str(found['sha256'])[:12]})"
    answer(as_json, {"folder": str(out), **found}, told)


# The verb ``check-task``: a task tried in rooms or scenes, and what came of it.


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
    task_attempts = attempts_of(common.name_task(task), rooms, seed, given, benchmark, attempts, effort)
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
    place = report.asked.places.removesuffix("s")
    heads = (place, "filling", "plan", "steps", "result", "sentence")
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
    asked, tried = report.asked, say_count(len(report.trials), place)
    suited = f"{say_count(asked.suited, place)} suit{'s' * (asked.suited == 1)} it"
    fillings = f", {say_count(asked.fillings, 'filling')} of its slots" if asked.fillings else ""
    solved = f"solved in {report.solved} of {tried} ({report.solved / len(report.trials):.0%})"
    print(printable(f"{asked.task}: {solved}, {say_count(report.attempts, 'attempt')}; {suited}{fillings}"))
    left = report.attempts
    for stage, failed in report.failed.items():
        left -= failed
        print(printable(f"  {stage:<14} {left:>4} passed" + (f", {failed} failed" if failed else "")))
    for reason, count in report.reasons:
        print(printable(f"  {count} x {reason}"))
    for remark, count in report.remarks:
        print(printable(f"remark, {count} of {tried}: {remark}"))
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
