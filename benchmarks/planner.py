"""Our planner beside Fast Downward and pyperplan: processor seconds and plan costs, in one run.

    python -m benchmarks.planner [--sets handmethat alfred ipc] [--time-limit 60] [--rounds 3]
                                 [--problems TEXT] [--peers fast-downward pyperplan]
                                 [--fast-downward PYTHON] [--json FILE]

Sets: ``handmethat`` (``planner/a`` of the reference data: large rooms), ``alfred`` (problems that our own
recipe makes) and ``ipc`` (the competition domains). Per problem, the median of the rounds: *warm* is reading
and solving in this process, after a first time; *one-shot* is a whole ``chorewright plan`` process; the peers
are whole processes too, Fast Downward as lama-first. Fast Downward is the wheel ``up-fast-downward`` of this
interpreter, or of the one given with ``--fast-downward``; without it its columns are left empty.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from chorewright.domains.library import household_domain
from chorewright.domains.pddl import parse_domain, parse_formula, parse_problem, write_domain, write_problem
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import UnsupportedError
from chorewright.generator.alfred import AlfredRecipe
from chorewright.generator.recipe import GenerateConfig
from chorewright.planner.engines import fast_downward_driver, in_plain_strips, refuse_beyond_strips
from chorewright.planner.plan import Limits, Plan
from chorewright.planner.plan_files import read_plan
from chorewright.planner.planning import solve
from chorewright.planner.validation import validate
from chorewright.problems.household import household_problem
from tests.planner.tables import competition_problems, competition_task
from tests.reference import reference

SETS = ("handmethat", "alfred", "ipc")
PEERS = ("fast-downward", "pyperplan")
ALFRED_PROBLEMS = 12


@dataclass(frozen=True, slots=True)
class Given:
    """A problem of a set."""

    group: str
    name: str
    domain: Domain
    problem: Problem


@dataclass(frozen=True, slots=True)
class Figure:
    """Processor seconds (the median of the rounds) and the plan's cost; None where there is no plan."""

    seconds: float | None
    cost: float | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One problem and what each planner makes of it."""

    group: str
    name: str
    warm: Figure
    one_shot: Figure
    fast_downward: Figure
    pyperplan: Figure


ABSENT = Figure(None, None, "-")


def given(sets: Sequence[str]) -> Iterator[Given]:
    """The problems of the sets, in order."""
    if "handmethat" in sets:
        folder = reference("planner/a")
        domain = parse_domain((folder / "domain.pddl").read_text())
        for path in sorted(folder.glob("p*.pddl")):
            yield Given("handmethat", path.stem, domain, parse_problem(path.read_text(), domain))
    if "alfred" in sets:
        recipe, domain = AlfredRecipe(), household_domain()
        config = GenerateConfig("alfred", ALFRED_PROBLEMS, 7)
        for one in recipe.assign(config, ALFRED_PROBLEMS):
            episode = recipe.episode(one.index, config, one)
            name = f"{one.index:02}-{episode.task.split('/')[-1]}-{episode.scene.name}"
            goal = parse_formula(episode.goal, domain)
            yield Given("alfred", name, domain, household_problem(episode.scene, goal).problem)
    if "ipc" in sets:
        for domain_name, file in competition_problems():
            yield Given("ipc", f"{domain_name}/{Path(file).stem}", *competition_task(domain_name, file))


def median(rounds: Sequence[Figure]) -> Figure:
    """The figure with the median time, or the first that failed."""
    failed = [one for one in rounds if one.seconds is None]
    if failed:
        return failed[0]
    seconds = statistics.median(one.seconds or 0.0 for one in rounds)
    return Figure(seconds, rounds[0].cost)


def warm(folder: Path, limit: float) -> Figure:
    """Read and solve in this process."""
    started = time.process_time()
    domain = parse_domain((folder / "domain.pddl").read_text())
    problem = parse_problem((folder / "problem.pddl").read_text(), domain)
    answer = solve(domain, problem, Limits(seconds=limit))
    seconds = time.process_time() - started
    return Figure(seconds, answer.cost) if isinstance(answer, Plan) else Figure(None, None, "no plan")


def process(command: Sequence[str], folder: Path, limit: float, one: Given, plan: str) -> Figure:
    """Run a planner as a process with its children; its plan is validated here."""
    (folder / plan).unlink(missing_ok=True)
    environment = {
        **os.environ,
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": str(Path(__file__).resolve().parents[1]),
    }
    child = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    late = threading.Event()

    def stop() -> None:
        late.set()
        os.killpg(child.pid, signal.SIGKILL)

    timer = threading.Timer(limit, stop)
    timer.start()
    _, status, usage = os.wait4(child.pid, 0)
    timer.cancel()
    child.returncode = os.waitstatus_to_exitcode(status)
    if late.is_set():
        return Figure(None, None, f"> {limit:g} s")
    if not (folder / plan).exists():
        return Figure(None, None, f"exit {child.returncode}")
    verdict = validate(one.domain, one.problem, read_plan(folder / plan).actions)
    if not verdict.valid:
        return Figure(None, None, "invalid")
    return Figure(usage.ru_utime + usage.ru_stime, verdict.cost)


def repeated(rounds: int, measure: object) -> Figure:
    """The median of several rounds; a failure is not repeated."""
    assert callable(measure)
    figures: list[Figure] = []
    for _ in range(rounds):
        figures.append(measure())
        if figures[-1].seconds is None:
            break
    return median(figures)


def measure(one: Given, arguments: argparse.Namespace, driver: Path | None) -> Row:
    """All planners on one problem."""
    limit, rounds = arguments.time_limit, arguments.rounds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "domain.pddl").write_text(write_domain(one.domain, expand_at_least=True))
        (folder / "problem.pddl").write_text(write_problem(one.problem, expand_at_least=True))
        files = ["domain.pddl", "problem.pddl"]
        warm(folder, limit)
        ours = repeated(rounds, lambda: warm(folder, limit))
        command = [sys.executable, "-m", "chorewright", "plan", *files, "--out", "ours.plan"]
        shot = repeated(rounds, lambda: process(command, folder, limit, one, "ours.plan"))
        theirs = ABSENT
        if driver is not None:
            lama = [
                arguments.fast_downward,
                str(driver),
                "--alias",
                "lama-first",
                "--plan-file",
                "fd.plan",
                *files,
            ]
            theirs = repeated(rounds, lambda: process(lama, folder, limit, one, "fd.plan"))
        return Row(one.group, one.name, ours, shot, theirs, pyperplan(one, arguments, folder))


def pyperplan(one: Given, arguments: argparse.Namespace, folder: Path) -> Figure:
    """pyperplan's greedy search with h_FF, on what it can read."""
    if "pyperplan" not in arguments.peers:
        return ABSENT
    try:
        refuse_beyond_strips(one.domain, one.problem)
    except UnsupportedError:
        return Figure(None, None, "ADL")
    domain, problem = in_plain_strips(one.domain, one.problem)
    (folder / "strips-domain.pddl").write_text(write_domain(domain))
    (folder / "strips.pddl").write_text(write_problem(problem))
    files = ["-l", "error", "-s", "gbf", "-H", "hff", "strips-domain.pddl", "strips.pddl"]
    command = [sys.executable, "-m", "pyperplan", *files]
    return repeated(
        arguments.rounds, lambda: process(command, folder, arguments.time_limit, one, "strips.pddl.soln")
    )


def line(row: Row) -> str:
    """A row of the markdown table."""
    ratio = ""
    if row.fast_downward.seconds and row.warm.seconds:
        ratio = f"{row.fast_downward.seconds / row.warm.seconds:.0f}"
    cells = [row.group, row.name, _seconds(row.warm), _seconds(row.one_shot), _cost(row.warm)]
    cells += [_seconds(row.fast_downward), _cost(row.fast_downward), ratio]
    cells += [_seconds(row.pyperplan), _cost(row.pyperplan)]
    return f"| {' | '.join(cells)} |"


def _seconds(figure: Figure) -> str:
    return figure.note if figure.seconds is None else f"{figure.seconds:.3f}"


def _cost(figure: Figure) -> str:
    return "" if figure.cost is None else f"{figure.cost:g}"


HEADER = """| set | problem | warm s | one-shot s | cost | lama-first s | cost | ratio | pyperplan s | cost |
|---|---|---|---|---|---|---|---|---|---|"""


def summary(rows: Sequence[Row]) -> str:
    """What the sets come to: solved, median ratios, costs against lama-first's."""
    lines = [
        "| set | problems | solved | lama-first solved | ratio warm | ratio one-shot | cost <= lama-first |",
        "|---|---|---|---|---|---|---|",
    ]
    for group in dict.fromkeys(row.group for row in rows):
        own = [row for row in rows if row.group == group]
        solved = [row for row in own if row.warm.seconds is not None]
        theirs = [row for row in own if row.fast_downward.seconds is not None]
        both = [row for row in solved if row.fast_downward.seconds is not None]
        warm_ratios = [_ratio(row.fast_downward, row.warm) for row in both]
        shot_ratios = [_ratio(row.fast_downward, row.one_shot) for row in both if row.one_shot.seconds]
        cheap = sum((row.warm.cost or 0.0) <= (row.fast_downward.cost or 0.0) + 1e-6 for row in both)
        lines.append(
            f"| {group} | {len(own)} | {len(solved)} | {len(theirs)} | {_median(warm_ratios)} |"
            f" {_median(shot_ratios)} | {cheap} of {len(both)} |"
        )
    return "\n".join(lines)


def _ratio(theirs: Figure, ours: Figure) -> float:
    return (theirs.seconds or 0.0) / max(ours.seconds or 0.0, 1e-4)


def _median(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.1f}" if values else "-"


def main() -> None:
    """Parse the arguments, run, print."""
    parser = argparse.ArgumentParser(description="Our planner beside Fast Downward and pyperplan.")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--problems", default="", help="only problems whose name has this in it")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for each run")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=list(PEERS))
    parser.add_argument("--fast-downward", metavar="PYTHON", default=sys.executable)
    parser.add_argument("--json", type=Path, default=None, help="write the rows here")
    arguments = parser.parse_args()
    driver = fast_downward_driver(arguments.fast_downward) if "fast-downward" in arguments.peers else None
    if driver is None and "fast-downward" in arguments.peers:
        hint = "pip install 'chorewright[fast-downward]', or --fast-downward PYTHON"
        print(f"Fast Downward is not here ({hint}): its columns stay empty", file=sys.stderr)
    rows: list[Row] = []
    print(HEADER, flush=True)
    for one in given(arguments.sets):
        if arguments.problems in one.name:
            rows.append(measure(one, arguments, driver))
            print(line(rows[-1]), flush=True)
    print(f"\n{summary(rows)}")
    if arguments.json is not None:
        arguments.json.write_text(json.dumps([asdict(row) for row in rows], indent=2))


if __name__ == "__main__":
    main()
