"""CALVIN's scripted expert: what it does of tasks and chains, and what of that replays open loop.

    python -m benchmarks.calvin_expert [--parts tasks chains] [--scenes D] [--states 10]
                                       [--first 300] [--chains 200] [--replays 50] [--json FILE]

- tasks: each of the 34 tasks from so many states; those that need a predecessor are led up to by the expert.
- chains: chains of the published evaluation, tasks in a row; the first ``--replays`` of those that were
  completed are done again open loop, from what was commanded and from what CALVIN's files define as actions,
  absolute and relative, judged by the same detector.

Seconds are processor seconds of one process; two processes share the chains.
PyBullet is the extra ``calvin``.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from collections import Counter
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

from chorewright.generator.calvin.evaluation import Evaluation, evaluate
from chorewright.generator.calvin.trial import forms, replay, run_chain
from chorewright.problems.tabletop.chains import Chain
from chorewright.problems.tabletop.published import PUBLISHED, published_chains
from chorewright.problems.tabletop.scenes import scene
from chorewright.problems.tabletop.states import concrete
from chorewright.replay.tabletop.world import TabletopWorld


@dataclass(frozen=True, slots=True)
class Row:
    """A chain: its number, the tasks done, their steps and starts, why it ended, which forms replay."""

    number: int
    done: int
    steps: int
    tries: tuple[int, ...]
    reason: str
    seconds: float
    replays: dict[str, bool]


def tasks(console: Console, scenes: list[str], states: int) -> dict[str, dict[str, list[int]]]:
    """Let the expert do each task from so many states."""
    found = {}
    for name in scenes:
        result = evaluate(Evaluation("expert", name, 0, states), workers=2)
        missed = [f"{task} {done}/{count}" for task, done, count in result.tasks if done < count]
        done, count = (sum(row[place] for row in result.tasks) for place in (1, 2))
        console.print(
            f"scene {name}: {done} of {count} ({len(result.tasks)} tasks), {result.steps:.0f} steps each; "
            f"missed: {', '.join(missed) or 'none'}",
            soft_wrap=True,
        )
        found[name] = {task: [done, count] for task, done, count in result.tasks}
    return found


def chains(
    console: Console, scenes: list[str], first: int, count: int, replays: int
) -> dict[str, list[dict[str, object]]]:
    """Let the expert do published chains, and replay the first of them."""
    found = {}
    table = Table(title=f"published chains {first} to {first + count - 1}")
    columns = ("scene", "complete", "average length", "steps a task", "begun once", "steps a second")
    for column in columns:
        table.add_column(column, justify="left" if column == "scene" else "right")
    for name in scenes:
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            numbers = [(number, number < first + replays) for number in range(first, first + count)]
            rows = pool.map(partial(_row, name), numbers, chunksize=5)
        done, steps = sum(row.done for row in rows), sum(row.steps for row in rows)
        tries = [each for row in rows for each in row.tries]
        table.add_row(
            name,
            f"{sum(row.done == 5 for row in rows)}/{count}",
            f"{done / count:.3f}",
            f"{steps / max(1, done):.0f}",
            f"{100 * tries.count(1) / max(1, len(tries)):.1f} %",
            f"{steps / sum(row.seconds for row in rows):.0f}",
        )
        for row in rows:
            if row.reason:
                console.print(f"scene {name}, chain {row.number}, task {row.done + 1}: {row.reason}")
        again = [row for row in rows if row.replays]
        hits = Counter(form for row in again for form, hit in row.replays.items() if hit)
        shown = ", ".join(f"{form} {hits[form]}/{len(again)}" for form in (again[0].replays if again else ()))
        console.print(f"scene {name}, replayed open loop: {shown or 'none'}", soft_wrap=True)
        found[name] = [asdict(row) for row in rows]
    console.print(table)
    return found


def _row(name: str, wanted: tuple[int, bool]) -> Row:
    number, replayed = wanted
    chain, world = _chains()[number], _world(name)
    start = concrete(chain.initial_state, scene(name))
    started = time.process_time()
    trial = run_chain(world, start, chain.sequence)
    seconds = time.process_time() - started
    again = {}
    if replayed and not trial.reason:
        for form, commands in forms(trial.frames).items():
            again[form] = not replay(world, start, trial.runs, commands())
    return Row(
        number=number,
        done=len(trial.runs),
        steps=sum(run.frames for run in trial.runs),
        tries=tuple(run.tries for run in trial.runs),
        reason=trial.reason,
        seconds=seconds,
        replays=again,
    )


@lru_cache(maxsize=1)
def _world(name: str) -> TabletopWorld:
    return TabletopWorld(scene(name))


@lru_cache(maxsize=1)
def _chains() -> tuple[Chain, ...]:
    return published_chains(PUBLISHED)


def main() -> None:
    """Run the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", nargs="+", choices=("tasks", "chains"), default=["tasks", "chains"])
    parser.add_argument("--scenes", nargs="+", default=["D"])
    parser.add_argument("--states", type=int, default=10)
    parser.add_argument("--first", type=int, default=300)
    parser.add_argument("--chains", type=int, default=200)
    parser.add_argument("--replays", type=int, default=50)
    parser.add_argument("--json", type=Path)
    asked, console = parser.parse_args(), Console()
    found: dict[str, object] = {}
    if "tasks" in asked.parts:
        found["tasks"] = tasks(console, asked.scenes, asked.states)
    if "chains" in asked.parts:
        found["chains"] = chains(console, asked.scenes, asked.first, asked.chains, asked.replays)
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
