"""TEACh's tasks compiled, planned, replayed and checked, next to humans' steps and the rule agents' success.

    python -m benchmarks.teach [--seeds 3] [--sample N] [--workers 2] [--rows rows.jsonl] [--others]
                               [--save] [--json FILE]

Every parameter variant of the reference data (``$CHOREWRIGHT_REFERENCE``/teach/variants.json) in so many
rooms that suit it, each room scattered from a seed. Rows that a file given by ``--rows`` has already are not
made again. ``--others`` runs the 13 definitions that the dataset has no sessions of instead. The humans'
figures are those of Padmakumar et al. 2022, Table 2, the rule agents' those of Table 5.
"""

from __future__ import annotations

import json
import multiprocessing
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.command import benchmark_parser, keep
from benchmarks.corpora.reference import reference
from benchmarks.results import Figure, Report, Target, from_markdown
from chorewright.domains.library import household_vocabulary
from chorewright.domains.teach.compiler import compile_goal
from chorewright.domains.teach.definitions import shipped_definitions
from chorewright.errors import ChorewrightError
from chorewright.generator.production.attempts import Rejection
from chorewright.generator.teach.compiling import TeachProblem, compile_in, plan_task
from chorewright.generator.teach.demonstration import SessionAttempt
from chorewright.generator.teach.scenes import teach_scene
from chorewright.generator.teach.variants import find_suitable_rooms
from chorewright.planner.plan import Answer, Limits
from chorewright.problems.household.rooms import load_room
from chorewright.problems.household.spawn import NoRoom

HUMANS = {
    "Water Plant": 51.86, "Coffee": 55.25, "Clean All X": 74.06, "Put All X On Y": 82.13, "Boil X": 104.66,
    "Plate Of Toast": 108.30, "N Slices Of X In Y": 113.62, "Put All X In One Y": 115.74,
    "N Cooked Slices Of X In Y": 155.18, "Sandwich": 195.93, "Salad": 206.29, "Breakfast": 295.06,
}  # fmt: skip
RULES = {
    "Water Plant": 26.70, "Coffee": 54.55, "Clean All X": 52.98, "Put All X On Y": 52.91, "Boil X": 0.0,
    "Plate Of Toast": 0.0, "N Slices Of X In Y": 22.51, "Put All X In One Y": 50.98,
    "N Cooked Slices Of X In Y": 1.67, "Sandwich": 0.0, "Salad": 1.55, "Breakfast": 0.0,
}  # fmt: skip
ALL_HUMANS, ALL_RULES = 131.80, 24.40
OTHERS: dict[str, list[list[str]]] = {
    "Toast": [[]], "Clean X": [["Plate"], ["Mug"], ["Pan"], ["Cloth"], ["Drinkware"]],
    "Sliced X": [["Apple"], ["Bread"], ["Lettuce"], ["Potato"], ["Tomato"]],
    "Cooked Slice Of X": [["Potato"], ["Bread"]], "Omelette": [[]], "Poach Egg": [[]],
    "Toggle X All Y": [["on", "1", "Lights"], ["off", "0", "Lamps"], ["off", "0", "WaterSources"],
                       ["on", "1", "Candle"]],
    "Tutorial": [[]], "Candles": [[]],
    "Workspace": [["1", "1", "1"], ["2", "1", "0"], ["0", "1", "1"], ["1", "0", "1"]],
    "Basic Kitchen Tasks": [[]], "Basic Bathroom Tasks": [[]], "Custom Properties Kitchen Tasks": [[]],
}  # fmt: skip
LIMITS = Limits(seconds=60)
SPAWN_SEEDS = 4
ROOMS = 4


@dataclass(frozen=True, slots=True)
class Case:
    """One run: a task with its parameters in a room from a seed."""

    task: str
    params: tuple[str, ...]
    room: str
    seed: int


@dataclass(frozen=True, slots=True)
class Row:
    """What came of a case; ``reason`` is empty if the progress check succeeded after the last step.

    ``took`` is another room that was taken since no state of the case's own leaves anything to do.
    """

    task: str
    params: tuple[str, ...]
    room: str
    seed: int
    reason: str
    actions: int = 0
    steps: int = 0
    plan_cpu: float = 0.0
    cpu: float = 0.0
    took: str = ""

    @property
    def case(self) -> Case:
        return Case(self.task, self.params, self.room, self.seed)


def cases(seeds: int, others: bool) -> tuple[list[Case], list[str]]:
    """Return all cases, and the variants that no room suits."""
    every = OTHERS if others else _reference_variants()
    found, unsuited = [], []
    for task, variants in every.items():
        for number, params in enumerate(variants):
            rooms = find_suitable_rooms(task, tuple(params))
            if not rooms:
                unsuited.append(f"{task} {' '.join(params)}")
                continue
            count = max(seeds, -(-30 // len(variants)))
            for turn in range(count):
                found.append(Case(task, tuple(params), rooms[(7 * number + 11 * turn) % len(rooms)], turn))
    return found, unsuited


def _reference_variants() -> dict[str, list[list[str]]]:
    variants: dict[str, list[list[str]]] = json.loads(reference("teach/variants.json").read_text("utf-8"))["variants"]
    return variants


def run(case: Case) -> Row:
    """Scatter the room, compile, plan, replay and check."""
    started = time.process_time()
    room = case.room
    planned = [0.0]

    def timed(compiled: TeachProblem, limits: Limits) -> Answer:
        began = time.process_time()
        answer = plan_task(compiled, limits)
        planned[0] = time.process_time() - began
        return answer

    def row(reason: str, actions: int = 0, steps: int = 0) -> Row:
        cpu = time.process_time() - started
        took = room if room != case.room else ""
        figures = (actions, steps, planned[0], round(cpu, 4), took)
        return Row(case.task, case.params, case.room, case.seed, reason, *figures)

    vocabulary = household_vocabulary()
    try:
        task = shipped_definitions().task(case.task, case.params)
        goal = compile_goal(task, vocabulary)
    except ChorewrightError as error:
        return row(f"compile: {error.message}")
    scene = None
    every = find_suitable_rooms(case.task, case.params)
    place = every.index(case.room)
    for room in (every * 2)[place : place + min(ROOMS, len(every))]:
        for again in range(SPAWN_SEEDS):
            rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence((case.seed, again))))
            try:
                scene = teach_scene(load_room(room), task, vocabulary, rng)
                break
            except NoRoom as error:
                reason = f"scene: {error.message}"
        if scene is not None:
            break
    if scene is None:
        return row(reason)
    found = SessionAttempt(compile_in(task, goal, scene, case.task), LIMITS, timed).demonstrate()
    if isinstance(found, Rejection):
        return row(str(found))
    return row("", len(found.plan.actions), len(found.actions))


def known_rows(path: Path | None) -> dict[Case, Row]:
    """Return the rows of a file by their cases; a torn last line is left out."""
    rows = {}
    if path is not None and path.exists():
        for line in path.read_text("utf-8").splitlines():
            try:
                fields = json.loads(line)
            except ValueError:
                continue
            row = Row(**{**fields, "params": tuple(fields["params"])})
            rows[row.case] = row
    return rows


def made(todo: Sequence[Case], workers: int) -> Iterator[Row]:
    """Yield the rows of some cases, as they come."""
    if workers < 2:
        yield from map(run, todo)
        return
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        yield from pool.imap_unordered(run, todo, chunksize=2)


def table(rows: Sequence[Row]) -> str:
    """Return a markdown table, a line for each task and one for all."""
    lines = [
        "| task | variants | runs | success % | plan s median | mean | max | steps | humans' | "
        "rule agents' success % |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for task in (*dict.fromkeys(row.task for row in rows), ""):
        own = [row for row in rows if task in ("", row.task)]
        good = [row for row in own if not row.reason]
        seconds = [row.plan_cpu for row in own if row.plan_cpu] or [0.0]
        steps = [row.steps for row in good] or [0]
        known = all(row.task in HUMANS for row in own)
        lines.append(
            f"| {task or 'all'} | {len({(row.task, row.params) for row in own})} | {len(own)} | "
            f"{100 * len(good) / len(own):.1f} | {statistics.median(seconds):.2f} | "
            f"{statistics.mean(seconds):.2f} | {max(seconds):.1f} | {statistics.mean(steps):.0f} | "
            f"{HUMANS.get(task, ALL_HUMANS) if known else '-'} | "
            f"{RULES.get(task, ALL_RULES) if known else '-'} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Run the cases and print the tables."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--sample", type=int, help="Only so many cases, spread over all of them.")
    parser.add_argument("--tasks", nargs="*", help="Only these tasks.")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rows", type=Path, help="A file that rows are kept in, one JSON object a line.")
    parser.add_argument("--others", action="store_true")
    arguments = parser.parse_args()
    every, unsuited = cases(arguments.seeds, arguments.others)
    every = [case for case in every if not arguments.tasks or case.task in arguments.tasks]
    suited = len({(case.task, case.params) for case in every})
    if arguments.sample and arguments.sample < len(every):
        order = np.random.Generator(np.random.PCG64(0)).permutation(len(every))[: arguments.sample]
        every = [every[place] for place in sorted(order.tolist())]
    rows = known_rows(arguments.rows)
    todo = [case for case in every if case not in rows]
    with open(arguments.rows or "/dev/null", "a", encoding="utf-8") as file:
        for count, row in enumerate(made(todo, arguments.workers), 1):
            rows[row.case] = row
            file.write(json.dumps(asdict(row)) + "\n")
            file.flush()
            print(f"\r{count}/{len(todo)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    found = [rows[case] for case in every]
    print(table(found))
    print(f"\n{statistics.mean(row.cpu for row in found):.2f} CPU s for one on average, the scene included")
    moved = sum(bool(row.took) for row in found)
    print(f"{moved} in another room, since in no state of theirs there was anything left to do")
    print(f"variants that no room suits: {'; '.join(unsuited) or 'none'}")
    for reason, number in Counter(row.reason for row in found if row.reason).most_common(40):
        print(f"{number} x {reason}")
    keep(arguments, report(found, suited, len(unsuited), arguments.others))


def report(rows: Sequence[Row], suited: int, unsuited: int, others: bool) -> Report:
    """Return the figures of all runs."""
    planning = [row.plan_cpu for row in rows if row.plan_cpu] or [0.0]
    breakfast = [row.plan_cpu for row in rows if row.task == "Breakfast"]
    figures = [
        Figure("success", "runs that succeed", sum(not row.reason for row in rows), of=len(rows),
               target=Target("at least", 99)),
        Figure("median_seconds", "planning, median", statistics.median(planning), "s", digits=2,
               target=Target("at most", 0.3)),
        Figure("variants", "variants that suit some room", suited, of=suited + unsuited),
    ]  # fmt: skip
    if breakfast:
        longest = Figure("breakfast_seconds", "planning, Breakfast's longest", max(breakfast), "s", digits=1,
                         target=Target("at most", 3))  # fmt: skip
        figures.insert(2, longest)
    table2, table5 = (f"Padmakumar et al. 2022 (TEACh), Table {number}" for number in (2, 5))
    sources = {} if others else {"humans'": table2, "rule agents' success %": f"{table5}, from other start states"}
    return Report(
        name="teach_others" if others else "teach",
        group="TEACh",
        title="TEACh's 13 definitions without sessions" if others else "TEACh's tasks, planned and replayed",
        explanation="Parameter variants in rooms that suit them; success: compiled, planned, replayed with TEACh's "
        "actions without a failed step, and the progress check succeeds at the end.",
        figures=tuple(figures),
        tables=(from_markdown(table(rows), sources=sources),),
    )


if __name__ == "__main__":
    main()
