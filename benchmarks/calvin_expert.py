"""CALVIN's scripted expert: what it does of tasks and chains, and what of that replays open loop.

    python -m benchmarks.calvin_expert [--parts tasks chains] [--scenes D] [--states 10]
                                       [--first 300] [--chains 200] [--replays 50] [--rows FILE]
                                       [--env PATH] [--workers 2] [--save] [--json FILE]

- tasks: each of the 34 tasks from so many states; those that need a predecessor are led up to by the expert.
- chains: chains of the published evaluation, tasks in a row; the first ``--replays`` of those that were
  completed are done again open loop, from what was commanded and from what CALVIN's files define as actions,
  absolute and relative, judged by the same detector.

Seconds are processor seconds of one process; two processes share the chains. With ``--env`` a checkout of calvin_env is
driven instead of our world, and its own oracle judges.
With ``--rows`` each chain is written to a file once it is done; those that the file has are not done again.
PyBullet is the extra ``calvin``.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TypeAlias

from rich.console import Console
from rich.table import Table

from benchmarks.command import benchmark_parser, given_path, keep
from benchmarks.results import Figure, Report, Target
from chorewright.generator.calvin.evaluation import CalvinEvaluation, ChainMeans
from chorewright.generator.calvin.options import CalvinTrial
from chorewright.generator.calvin.trial import ChainTrial, forms, replay, run_chain
from chorewright.generator.measuring.evaluation import play
from chorewright.problems.calvin.chains import Chain
from chorewright.problems.calvin.published import PUBLISHED, find_published_chains
from chorewright.problems.calvin.scenes import concrete, scene
from chorewright.replay.calvin.expert import Expert
from chorewright.replay.calvin.motion import Tabletop
from chorewright.replay.calvin.real import tabletop
from chorewright.replay.calvin.world import Array


@dataclass(frozen=True, slots=True)
class Row:
    """A chain: its number, the tasks done, their steps and starts, why it ended, which forms replay.

    All are counted from the expert's retreat, and are nothing if that was not asked for. ``counted`` is the tasks done
    when each begins at the instant at which the one before it is seen done, ``why`` what ended that; None and empty if
    it was not asked.
    """

    number: int
    done: int
    steps: int
    tries: tuple[int, ...]
    reason: str
    seconds: float
    replays: dict[str, bool]
    counted: int | None = None
    why: str = ""


Tasks: TypeAlias = dict[str, dict[str, list[int]]]
"""By scene and task: how often it was done, and how often it was tried."""


def tasks(console: Console, scenes: list[str], asked: argparse.Namespace) -> Tasks:
    """Let the expert do each task from so many states."""
    found = {}
    for name in scenes:
        trial = CalvinTrial(
            agent="expert",
            scene=name,
            chains=0,
            rollouts=asked.states,
            workers=asked.workers,
            calvin_env=str(asked.env or ""),
        )
        result = ChainMeans.of(play(CalvinEvaluation(), trial))
        missed = [f"{task} {done}/{count}" for task, done, count in result.tasks if done < count]
        done, count = sum(row[1] for row in result.tasks), sum(row[2] for row in result.tasks)
        console.print(
            f"scene {name}: {done} of {count} ({len(result.tasks)} tasks), {result.steps:.0f} steps each; "
            f"missed: {', '.join(missed) or 'none'}",
            soft_wrap=True,
        )
        found[name] = {task: [done, count] for task, done, count in result.tasks}
    return found


def chains(console: Console, scenes: list[str], asked: argparse.Namespace) -> dict[str, list[Row]]:
    """Let the expert do published chains, and replay the first of them; the rows by scene."""
    first, count, ways, path = asked.first, asked.chains, asked.ways, asked.rows
    found, known = {}, kept(path)
    table = Table(title=f"published chains {first} to {first + count - 1}")
    columns = ("scene", "complete", "average length", "steps a task", "begun once", "steps a second")
    for column in columns:
        table.add_column(column, justify="left" if column == "scene" else "right")
    for name in scenes:
        missing = [
            (number, number < first + asked.replays)
            for number in range(first, first + count)
            if (name, number) not in known
        ]
        with multiprocessing.get_context("spawn").Pool(asked.workers) as pool:
            for row in pool.imap_unordered(partial(_row, name, ways, asked.env), missing):
                known[name, row.number] = row
                if path is not None:
                    with path.open("a", encoding="utf-8") as file:
                        file.write(json.dumps([name, asdict(row)]) + "\n")
        rows = [known[name, number] for number in range(first, first + count)]
        done, steps = sum(row.done for row in rows), sum(row.steps for row in rows)
        tries = [each for row in rows for each in row.tries]
        if "retreat" in ways:
            table.add_row(
                name,
                f"{sum(row.done == 5 for row in rows)}/{count}",
                f"{done / count:.3f}",
                f"{steps / max(1, done):.0f}",
                f"{100 * tries.count(1) / max(1, len(tries)):.1f} %",
                f"{steps / sum(row.seconds for row in rows):.0f}",
            )
        for row in rows:
            for where, reason, before in (("retreat", row.reason, row.done), ("detection", row.why, row.counted)):
                if reason and before is not None:
                    console.print(f"scene {name}, chain {row.number}, from {where}, task {before + 1}: {reason}")
        if "detection" in ways:
            counted = [row.counted or 0 for row in rows]
            console.print(
                f"scene {name}, counted from detection: {counted.count(5)}/{count} complete, "
                f"average length {sum(counted) / count:.3f}"
            )
        again = [row for row in rows if row.replays]
        hits = Counter(form for row in again for form, hit in row.replays.items() if hit)
        shown = ", ".join(f"{form} {hits[form]}/{len(again)}" for form in (again[0].replays if again else ()))
        console.print(f"scene {name}, replayed open loop: {shown or 'none'}", soft_wrap=True)
        found[name] = rows
    if table.row_count:
        console.print(table)
    return found


def kept(path: Path | None) -> dict[tuple[str, int], Row]:
    """Return the rows that a file has of an earlier run, by scene and number."""
    if path is None or not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [(name, Row(**{**values, "tries": tuple(values["tries"])})) for name, values in lines]
    return {(name, row.number): row for name, row in rows}


def _row(name: str, ways: Sequence[str], env: Path | None, wanted: tuple[int, bool]) -> Row:
    number, replayed = wanted
    chain, world = _chains()[number], _world(name, env)
    start = concrete(chain.initial_state, scene(name))
    started = time.process_time()
    trial = run_chain(world, start, chain.sequence) if "retreat" in ways else ChainTrial((), (), "")
    seconds = time.process_time() - started
    again = {}
    if replayed and trial.runs and not trial.reason:
        for form, commands in forms(trial.frames).items():
            again[form] = not replay(world, start, trial.runs, commands())
    counted, why = _from_detection(world, start, chain) if "detection" in ways else (None, "")
    return Row(
        number=number,
        done=len(trial.runs),
        steps=sum(run.frames for run in trial.runs),
        tries=tuple(run.tries for run in trial.runs),
        reason=trial.reason,
        seconds=seconds,
        replays=again,
        counted=counted,
        why=why,
    )


def _from_detection(world: Tabletop, start: tuple[Array, Array], chain: Chain) -> tuple[int, str]:
    """Return the tasks done as CALVIN's evaluation counts them, and why the next one was not."""
    world.reset(*start)
    expert = Expert(world, from_detection=True)
    for done, task in enumerate(chain.sequence):
        attempt = expert.perform(task)
        if attempt.done_after is None or attempt.done_after > CalvinTrial().max_steps:
            return done, f"{task}: {attempt.reason or 'too many steps'}"
    return len(chain.sequence), ""


@lru_cache(maxsize=1)
def _world(name: str, env: Path | None) -> Tabletop:
    return tabletop(scene(name), env)


@lru_cache(maxsize=1)
def _chains() -> tuple[Chain, ...]:
    return find_published_chains(PUBLISHED)


def report(did: Tasks, ran: dict[str, list[Row]], real: bool = False) -> Report:
    """Return the figures of the parts that were run."""
    scenes = list(ran or did)
    figures: list[Figure] = []
    for name, rows in ran.items():
        numbers = f"chains {rows[0].number} to {rows[-1].number} of scene {name}"
        complete = sum(row.done == 5 for row in rows)
        goal = None if real else Target("at least", 99 if name == "D" else 97)
        length = sum(row.done for row in rows) / len(rows)
        counted = [row.counted for row in rows if row.counted is not None]
        begun = [each for row in rows for each in row.tries]
        seconds = sum(row.seconds for row in rows)
        figures += _counted_figures(name, numbers, counted) if counted else []
        if not begun:  # nothing was counted from the retreat
            continue
        figures += [
            Figure(f"complete_{name.lower()}", f"{numbers}, complete, counted from the expert's retreat", complete,
                   of=len(rows), target=goal),
            Figure(f"length_{name.lower()}", f"{numbers}: tasks in a row, of 5", length, digits=2,
                   target=Target("at least", 4.98) if name == "D" and not real else None),
            Figure(f"first_start_{name.lower()}", "tasks done at the first start of their skill", begun.count(1),
                   of=len(begun)),
            Figure(f"steps_{name.lower()}", "steps a CPU second, physics and detector",
                   round(sum(row.steps for row in rows) / seconds)),
        ]  # fmt: skip
        again = [row for row in rows if row.replays]
        for form in again[0].replays if again else ():
            hits = sum(row.replays[form] for row in again)
            label = f"`{form}` of the first {len(again)} completed chains that replay open loop"
            figures.append(Figure(f"{form}_{name.lower()}", label, hits, of=len(again)))
    for name, table in did.items():
        done, tried = (sum(row[place] for row in table.values()) for place in (0, 1))
        label = f"each of the {len(table)} tasks from {tried // len(table)} states of scene {name}"
        figures.append(Figure(f"tasks_{name.lower()}", label, done, of=tried, target=Target("at least", 98)))
    variant = "" if scenes == ["D"] else f"-{''.join(scenes).lower()}"
    parts = "" if did and ran else " in single tasks" if did else " in chains"
    return Report(
        name=f"calvin_expert{'-real' if real else ''}{variant}{parts.replace(' ', '_')}",
        group="CALVIN",
        title=f"CALVIN's expert{parts}{' in calvin_env' * real}, scene{'s' * (len(scenes) > 1)} {', '.join(scenes)}",
        explanation="The scripted expert in chains of the published evaluation, by their numbers from 0, from "
        "CALVIN's own start states, and in single tasks. By CALVIN's protocol a task begins at the instant at which "
        "the one before it is detected; counted from the expert's retreat, when its hand has drawn back.",
        figures=tuple(figures),
        conditions="the expert was made on scene D; failures of earlier versions in chains 25 to 372, 525, 540, 554 "
        "and 561, and in calvin_env in chains 0 to 99, were looked at when it was last changed",
    )


def _counted_figures(name: str, numbers: str, counted: list[int]) -> list[Figure]:
    length = sum(counted) / len(counted)
    return [
        Figure(f"protocol_{name.lower()}", f"{numbers}, complete, by CALVIN's protocol", counted.count(5),
               of=len(counted), target=Target("at least", 97)),
        Figure(f"protocol_length_{name.lower()}", f"{numbers}: tasks in a row by CALVIN's protocol, of 5", length,
               digits=2, target=Target("at least", 4.93) if name == "D" else None),
    ]  # fmt: skip


def main() -> None:
    """Run the parts that are asked for."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--parts", nargs="+", choices=("tasks", "chains"), default=["tasks", "chains"])
    parser.add_argument("--scenes", nargs="+", default=["D"])
    parser.add_argument("--states", type=int, default=10)
    parser.add_argument("--first", type=int, default=300)
    parser.add_argument("--chains", type=int, default=200)
    parser.add_argument("--replays", type=int, default=50)
    parser.add_argument("--ways", nargs="+", choices=("retreat", "detection"), default=["retreat", "detection"],
                        help="how chains are counted")  # fmt: skip
    parser.add_argument("--env", type=given_path, help="a checkout of calvin_env, to be driven instead of our world")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rows", type=Path, help="append what each chain came to here; what is there is kept")
    asked, console = parser.parse_args(), Console()
    did = tasks(console, asked.scenes, asked) if "tasks" in asked.parts else {}
    ran: dict[str, list[Row]] = {}
    if "chains" in asked.parts:
        ran = chains(console, asked.scenes, asked)
    keep(asked, report(did, ran, asked.env is not None))


if __name__ == "__main__":
    main()
