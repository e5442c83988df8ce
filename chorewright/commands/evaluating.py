"""The verbs that measure agents and answers, by the same flags, and that serve tasks to trainers of language models."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chorewright.commands.common import OutFolder
from chorewright.commands.generating import PluginGroup, description_of, with_options
from chorewright.commands.shell import AsJson, answer, console, print_json, printable, verb
from chorewright.files.english import say_count
from chorewright.files.plugins import Origin, Registry

if TYPE_CHECKING:
    from rich.table import Table

    from chorewright.generator.measuring.evaluation import Evaluation, Sheet

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
    from chorewright.rewards.openenv import serve

    name, _, domain = environment.partition(":")
    print(f"serving {environment} at http://{host}:{port}", file=sys.stderr, flush=True)
    source = {"domain": domain} if domain else {}
    serve(ENVIRONMENTS.get(name, name), host, port, sessions, seed, **source)


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
