"""The verb that lets an agent play HandMeThat's episodes: what it reaches, beside the paper's rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands.shell import AsJson, console, print_json, printable, verb
from chorewright.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from chorewright.replay.handmethat.evaluation import Result
    from chorewright.replay.handmethat.paper import Cell

_WIDE = 112
"""From this width on a cell of the table is one line."""

LEVELS = tuple(f"level {level}" for level in (1, 2, 3, 4))


@verb
def evaluate(
    folder: Annotated[Path, typer.Argument(help="A dataset, one of the reference's files, or a folder of these.")],
    agent: Annotated[
        str,
        typer.Option("--agent", help="random, heuristic, planner, inferring, oracle, or module:Class of your own."),
    ],
    episodes: Annotated[int | None, typer.Option("--episodes", "-n", help="Only so many, from the first.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the agent's random numbers.")] = 0,
    partial: Annotated[bool, typer.Option("--partial", help="The agent sees only what is where it stands.")] = False,
    workers: Annotated[
        int | None, typer.Option("--workers", help="Processes; all cores by default, 0 for this one only.")
    ] = None,
    paper: Annotated[
        int | None,
        typer.Option("--paper", help="Beside which version's tables: 1 or 2; by default what it looks like."),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option("--log", help="A file that each episode is written to; the same command again goes on there."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Let an agent play a dataset: score, success and moves by level, beside the paper's tables."""
    from chorewright.commands.progress import counting
    from chorewright.generator.handmethat.evaluation import Trial
    from chorewright.generator.handmethat.evaluation import evaluate as run
    from chorewright.replay.handmethat.evaluation import by_level, by_quest
    from chorewright.replay.handmethat.paper import likely_version, paper_rows

    if seed < 0:
        raise UsageError(f"the seed must not be negative, but is {seed}")
    if paper not in (None, 1, 2):
        raise UsageError(f"the paper has no version {paper}", hint="1 or 2")
    trial = Trial(folder, agent, seed, not partial)
    with counting("evaluate") as watch:
        played = run(trial, episodes, workers, watch, log)
    version = paper or likely_version(played)
    levels, quests = by_level(played), by_quest(played)
    others = paper_rows(version, not partial)
    if not as_json:
        title = f"version {version}, {'partially' if partial else 'fully'} observable"
        console().print(_table(title, {agent: levels, **quests}, others))
        return
    print_json(
        {
            "folder": str(folder),
            "agent": agent,
            "seed": seed,
            "fully_observable": not partial,
            "version": version,
            "results": {level: _values(result) for level, result in levels.items()},
            "requests": {
                quest: {level: _values(result) for level, result in each.items()} for quest, each in quests.items()
            },
            "paper": {
                player: {level: _cell_values(cell) for level, cell in zip(LEVELS, cells, strict=True)}
                for player, cells in others.items()
            },
        }
    )


def _values(result: Result) -> dict[str, object]:
    return {
        "episodes": result.episodes,
        "score": result.score,
        "success": result.success,
        "moves": result.moves,
        "questions": result.questions,
    }


def _cell_values(cell: Cell) -> dict[str, object]:
    return {"score": cell.score, "success": cell.success, "moves": cell.moves}


def _table(title: str, ours: Mapping[str, Mapping[str, Result]], paper: Mapping[str, Sequence[Cell]]) -> Table:
    """Lay results out as the paper does: a row for each player, a column for each level."""
    from rich import box
    from rich.table import Table

    from chorewright.replay.handmethat.evaluation import ALL

    columns = (*LEVELS, ALL)
    between = " " if console().width >= _WIDE else "\n"
    table = Table(
        title=printable(title),
        title_justify="left",
        caption_justify="left",
        box=box.SIMPLE,
        show_edge=False,
        pad_edge=False,
        padding=0,
    )
    table.caption = "mean score (success, mean moves of the episodes won)"
    table.add_column("", no_wrap=True)
    for column in columns:
        table.add_column(column, justify="right")
    for number, (name, results) in enumerate(ours.items()):
        found = [results.get(column) for column in columns]
        table.add_row(
            printable(f"  {name}" if number else name),
            *("" if each is None else _cell(each, between) for each in found),
        )
        table.add_row("    episodes", *("" if each is None else str(each.episodes) for each in found))
        if any(each is not None and each.questions for each in found):
            table.add_row("    questions", *("" if each is None else f"{each.questions:.2f}" for each in found))
    table.add_section()
    table.add_row("The paper's")
    for player, cells in paper.items():
        table.add_row(f"  {player}", *(_cell(cell, between) for cell in cells))
    return table


def _cell(cell: Result | Cell, between: str) -> str:
    """Return score, success and moves; on a second line, in narrow tables, success without decimals."""
    score = "" if cell.score is None else f"{cell.score:.1f}{between}"
    moves = "N/A" if cell.moves is None else f"{cell.moves:.1f}"
    return f"{score}({100 * cell.success:.{int(between == ' ')}f}%, {moves})"
