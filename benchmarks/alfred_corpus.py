"""Our plans for ALFRED's own problems: each recorded start and goal, planned, run and compared.

    python -m benchmarks.alfred_corpus [--demos FILE] [--limit N] [--every K] [--part I/N] [--workers 2]
                                       [--rows FILE] [--save] [--json FILE]

For each demonstration of a file in the form of ``demos-train.jsonl.gz``: its scene in the room that ships, the PDDL
problem, our plan, subgoals, low-level actions in the THOR world, goal conditions at the end; then our number of
low-level actions over the recorded one, whether the subgoal sequence is the same, and how long the planner took.
Failures by category. With ``--part`` only every N-th demonstration from the I-th (from 0) on is run; results that
the file of ``--rows`` already has are kept and counted, so that the parts may be run one after the other.
"""

from __future__ import annotations

import json
import multiprocessing
import re
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.alfred_demos import Demonstration as Recorded
from benchmarks.alfred_demos import demonstration_scene, demonstrations, on_foot
from benchmarks.command import benchmark_parser, from_rich, given_path, keep
from benchmarks.corpora.reference import DATA
from benchmarks.results import Figure, Report, Target
from benchmarks.results import table as values
from chorewright.domains.library import find_template, household_vocabulary
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.domains.templates.goal_templates import Goal, instantiate
from chorewright.errors import ChorewrightError
from chorewright.generator.household.demonstration import RoomAttempt
from chorewright.generator.production.attempts import Rejection
from chorewright.planner.plan import Answer, Limits
from chorewright.planner.planning import solve
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.scene import Point
from chorewright.replay.household.world import ThorWorld

SLOTS = {"object": "object_target", "movable": "mrecep_target", "receptacle": "parent_target", "lamp": "toggle_target"}
"""Slots of our templates and ALFRED's names of them."""

MOST_CATEGORIES = 25
LIMITS = Limits(evaluations=200_000)


@dataclass(frozen=True, slots=True)
class Result:
    """One problem: its task, what went wrong (empty if nothing did), and the figures."""

    name: str
    task: str
    failure: str
    category: str = ""
    ours: int = 0
    theirs: int = 0
    same_segments: bool = False
    plan_seconds: float = 0.0
    all_seconds: float = 0.0
    cpu_seconds: float = 0.0


def goal_of(recorded: Recorded) -> Goal:
    """Return the demonstration's goal as our template says it."""
    template = find_template(f"alfred/{recorded.task}{'_sliced' if recorded.sliced else ''}")
    filled = {}
    for slot in template.slot_names:
        kind = recorded.parameter(SLOTS[slot])
        piece = shipped_kinds()[kind].piece
        filled[slot] = piece if slot == "object" and recorded.sliced and piece else kind
    return instantiate(template, filled, household_vocabulary())


def run(recorded: Recorded) -> Result:
    """Plan, run and compare one demonstration; count its time."""
    started, busy = time.perf_counter(), time.process_time()
    found = compare(recorded)
    return replace(found, all_seconds=time.perf_counter() - started, cpu_seconds=time.process_time() - busy)


def compare(recorded: Recorded, points: Sequence[Point] | None = None) -> Result:
    """Plan, run and compare one demonstration.

    Args:
        recorded: The demonstration.
        points: Where one can stand, if not where the shipped room says.
    """
    task = recorded.task + (" (sliced)" if recorded.sliced else "")
    spent = 0.0

    def timed(domain: Domain, problem: Problem, limits: Limits) -> Answer:
        nonlocal spent
        before = time.process_time()
        answer = solve(domain, problem, limits)
        spent = time.process_time() - before
        return answer

    try:
        scene = on_foot(demonstration_scene(recorded, points))
        found = RoomAttempt(scene, goal_of(recorded), ThorWorld(), LIMITS, timed).demonstrate()
    except ChorewrightError as error:
        return Result(recorded.name, task, str(error), f"input: {_category(error.message)}")
    theirs = len(recorded.steps)
    if isinstance(found, Rejection):
        category = f"{found.stage}: {_category(found.reason)}"
        return Result(recorded.name, task, str(found), category, 0, theirs, False, spent)
    missed = [name for name, met in found.conditions if not met]
    failure = f"goal: {', '.join(missed)}" if missed else ""
    same = [str(one["a"]) for one in recorded.segments if one["a"] != "NoOp"] == [
        subgoal.action for subgoal in found.subgoals[:-1]
    ]
    ours = len(found.execution.steps)
    return Result(recorded.name, task, failure, failure, ours, theirs, same, spent)


def _category(reason: str) -> str:
    """Return a reason without the names and numbers that make it particular."""
    text = re.sub(r"[A-Za-z]+\|[^\s:,']+", "<id>", reason)
    return re.sub(r"\d+(\.\d+)?", "#", text)[:100]


def every(path: Path, limit: int | None, step: int, part: int, parts: int) -> Iterator[Recorded]:
    """Yield every ``step``-th demonstration, at most ``limit``, and of these one of the ``parts``."""
    chosen = islice(demonstrations(path), 0, None if limit is None else limit * step, step)
    return islice(chosen, part, None, parts)


def kept(path: Path | None) -> dict[str, Result]:
    """Return the results of a file by name, if there is one."""
    if path is None or not path.exists():
        return {}
    return {one["name"]: Result(**one) for one in json.loads(path.read_text())}


def table(results: Sequence[Result]) -> Table:
    """Return the figures by task."""
    shown = Table("task", "problems", "met", "%", "ours/theirs", "ours<=theirs %", "same segments %",
                  "plan CPU ms median", "p95")  # fmt: skip
    tasks = sorted({result.task for result in results})
    for task in (*tasks, "all"):
        own = [result for result in results if task in ("all", result.task)]
        good = [result for result in own if not result.failure]
        seconds = sorted(result.plan_seconds for result in own)
        ratios = [result.ours / result.theirs for result in good]
        shown.add_row(
            task,
            str(len(own)),
            str(len(good)),
            f"{100 * len(good) / len(own):.2f}",
            f"{statistics.mean(ratios):.3f}" if ratios else "-",
            f"{100 * sum(ratio <= 1 for ratio in ratios) / len(good):.1f}" if good else "-",
            f"{100 * sum(result.same_segments for result in good) / len(good):.1f}" if good else "-",
            f"{1000 * statistics.median(seconds):.1f}",
            f"{1000 * seconds[int(0.95 * (len(seconds) - 1))]:.1f}",
        )
    return shown


def report(results: Sequence[Result], passed: float | None) -> Report:
    """Return the figures; ``passed`` are the seconds by the clock, None if the run made only some of them."""
    good = [result for result in results if not result.failure]
    planning = statistics.median(result.plan_seconds for result in results)
    figures = [
        Figure("met", "demonstrations that end with all goal conditions met", len(good), of=len(results), digits=2,
               target=Target("at least", 99)),
        Figure("ratio", "low-level actions, mean of ours / theirs",
               statistics.mean(result.ours / result.theirs for result in good), digits=3, target=Target("at most", 1)),
        Figure("ratio_all", "low-level actions in all, ours / theirs", ratio_of_all(good), digits=3),
        Figure("cpu_seconds", "everything, CPU", round(sum(result.cpu_seconds for result in results)), "s"),
        Figure("plan_ms", "planning, median", 1000 * planning, "ms", digits=1, target=Target("at most", 10)),
    ]  # fmt: skip
    if passed is not None:
        figures.insert(
            3, Figure("seconds", "everything, by the clock", round(passed), "s", target=Target("at most", 300))
        )
    failures = Counter(result.category for result in results if result.failure).most_common(MOST_CATEGORIES)
    tables = [from_rich(table(results))]
    if failures:
        rows = [(category, str(number)) for category, number in failures]
        tables.append(values(("what fails", "demonstrations"), rows))
    return Report(
        name="alfred_corpus",
        group="ALFRED",
        title="The recorded ALFRED problems, planned anew",
        explanation="Each demonstration: its start and goal in the rooms that ship, our plan, cut, lowered "
        "and run, and the goal conditions at the end; lengths are low-level actions, ours over the recorded ones.",
        figures=tuple(figures),
        tables=tuple(tables),
    )


def ratio_of_all(good: Sequence[Result]) -> float:
    """Return our low-level actions over theirs, all together."""
    return sum(result.ours for result in good) / max(1, sum(result.theirs for result in good))


def main() -> None:
    """Run the benchmark from the command line."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--demos", type=given_path, default=DATA / "alfred" / "demos-train.jsonl.gz")
    parser.add_argument("--limit", type=int, help="at most so many demonstrations")
    parser.add_argument("--every", type=int, default=1, help="every K-th demonstration")
    parser.add_argument("--part", default="0/1", metavar="I/N", help="every N-th of these, from the I-th on")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rows", type=Path, help="add the results to this file")
    arguments = parser.parse_args()
    part, parts = map(int, arguments.part.split("/"))
    chosen = every(arguments.demos, arguments.limit, arguments.every, part, parts)
    together = kept(arguments.rows)
    anew = not together
    started = time.perf_counter()
    with multiprocessing.Pool(arguments.workers) as pool:
        together.update((result.name, result) for result in pool.imap(run, chosen, chunksize=16))
    passed = time.perf_counter() - started
    results = list(together.values())
    console = Console(width=150)
    console.print(table(results))
    categories = Counter(result.category for result in results if result.failure)
    for category, number in categories.most_common(MOST_CATEGORIES):
        examples = [result for result in results if result.category == category][:2]
        console.print(f"{number:5d}  {category}", markup=False, highlight=False)
        for result in examples:
            console.print(f"         {result.name}: {result.failure[:200]}", markup=False, highlight=False)
    good = [result for result in results if not result.failure]
    busy, single = (sum(result.cpu_seconds for result in results), sum(result.all_seconds for result in results))
    console.print(
        f"{len(good)} of {len(results)} met; low-level actions in all {ratio_of_all(good):.3f} of theirs; "
        f"{busy:.0f} processor seconds, one by one {single:.0f} s; "
        f"this run {passed:.0f} s on {arguments.workers} workers"
    )
    if arguments.rows:
        arguments.rows.write_text(json.dumps([asdict(result) for result in results], indent=1))
    whole = anew and arguments.every == 1 and not arguments.limit
    keep(arguments, report(results, passed if whole else None))


if __name__ == "__main__":
    main()
