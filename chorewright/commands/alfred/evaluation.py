"""The verb that lets an agent play ALFRED's text games: success and goal conditions by task type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands.shell import AsJson, console, print_json, printable, verb

if TYPE_CHECKING:
    from rich.table import Table

    from chorewright.replay.alfred.evaluation import Scores


@verb
def evaluate(
    folder: Annotated[Path, typer.Argument(help="A dataset, a game file (game.tw-pddl) or a folder of these.")],
    agent: Annotated[str, typer.Option("--agent", help="random, exploring, planner, or module:Class of your own.")],
    split: Annotated[str | None, typer.Option("--split", help="Only the games of this split.")] = None,
    games: Annotated[int | None, typer.Option("--games", "-n", help="Only so many, from the first.")] = None,
    max_steps: Annotated[int, typer.Option("--max-steps", help="Commands after which a game is lost.")] = 50,
    seed: Annotated[int, typer.Option("--seed", help="Of the agent's random numbers.")] = 0,
    workers: Annotated[
        int | None, typer.Option("--workers", help="Processes; all cores by default, 0 for this one only.")
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option("--log", help="A file that each game is written to; the same command again goes on there."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Let an agent play text games: success, goal conditions, and both weighted by path, by task type."""
    from chorewright.commands.progress import counting
    from chorewright.generator.alfred.evaluation import Trial
    from chorewright.generator.alfred.evaluation import evaluate as run
    from chorewright.replay.alfred.evaluation import by_task

    trial = Trial(folder, agent, split, seed, max_steps)
    with counting("evaluate") as watch:
        played = run(trial, games, workers, watch, log)
    found = by_task(played)
    if not as_json:
        console().print(_table(found))
        return
    told = {"folder": str(folder), "agent": agent, "split": split, "seed": seed, "max_steps": max_steps}
    print_json({**told, "results": {task: asdict(scores) for task, scores in found.items()}})


def _table(found: Mapping[str, Scores]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE, show_edge=False, pad_edge=False, caption_justify="left")
    table.caption = "in brackets: weighted by path (the expert's commands by those given)"
    table.add_column("task", no_wrap=True)
    for heading in ("games", "success %", "goal conditions %", "commands"):
        table.add_column(heading, justify="right")
    for task, each in found.items():
        success = f"{100 * each.success:.1f} ({100 * each.weighted_success:.1f})"
        conditions = f"{100 * each.conditions:.1f} ({100 * each.weighted_conditions:.1f})"
        table.add_row(printable(task), str(each.games), success, conditions, f"{each.steps:.1f}")
    return table
