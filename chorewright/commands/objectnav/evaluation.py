"""The verb that lets an agent play ObjectNav's episodes: success, SPL and what is left, by split, place and target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands.shell import AsJson, console, print_json, printable, verb

if TYPE_CHECKING:
    from rich.table import Table

    from chorewright.replay.objectnav.evaluation import Scores


@verb
def evaluate(
    folder: Annotated[Path, typer.Argument(help="A dataset of `chorewright generate objectnav`.")],
    agent: Annotated[
        str, typer.Option("--agent", help="random, exploring, shortest-path, or module:Class of your own.")
    ],
    split: Annotated[str | None, typer.Option("--split", help="Only the episodes of this split.")] = None,
    episodes: Annotated[int | None, typer.Option("--episodes", "-n", help="Only so many, from the first.")] = None,
    max_steps: Annotated[int, typer.Option("--max-steps", help="Actions after which an episode is over.")] = 500,
    seed: Annotated[int, typer.Option("--seed", help="Of the agent's random numbers.")] = 0,
    workers: Annotated[
        int | None, typer.Option("--workers", help="Processes; all cores by default, 0 for this one only.")
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option("--log", help="A file that each episode is written to; the same command again goes on there."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Let an agent find things: success, SPL, SoftSPL and the distance left, by split, place and target."""
    from chorewright.commands.progress import counting
    from chorewright.generator.objectnav.evaluation import Trial
    from chorewright.generator.objectnav.evaluation import evaluate as run
    from chorewright.replay.objectnav.evaluation import by_group

    trial = Trial(folder, agent, split, seed, max_steps)
    with counting("evaluate") as watch:
        played = run(trial, episodes, workers, watch, log)
    found = by_group(played)
    if not as_json:
        console().print(_table(found))
        return
    told = {"folder": str(folder), "agent": agent, "split": split, "seed": seed, "max_steps": max_steps}
    results = {what: {name: asdict(scores) for name, scores in groups.items()} for what, groups in found.items()}
    print_json({**told, "results": results})


def _table(found: Mapping[str, Mapping[str, Scores]]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE, show_edge=False, pad_edge=False, caption_justify="left")
    table.caption = "SPL: success weighted by path length; left: metres of a shortest path from where the agent ended"
    table.add_column("", no_wrap=True)
    for heading in ("episodes", "success %", "SPL", "SoftSPL", "left m", "actions"):
        table.add_column(heading, justify="right")
    for groups in found.values():
        table.add_section()
        for name, each in groups.items():
            figures = (f"{each.spl:.3f}", f"{each.soft_spl:.3f}", f"{each.left:.2f}", f"{each.steps:.1f}")
            table.add_row(printable(name), str(each.episodes), f"{100 * each.success:.1f}", *figures)
    return table
