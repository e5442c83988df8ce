"""Our planner beside Fast Downward and pyperplan: processor seconds, plan costs and memory, in one run.

    python -m benchmarks.planner [--sets planner/a handmethat-like alfred teach-like ipc classical]
                                 [--problems TEXT] [--rounds 3]
                                 [--planners warm one-shot subset lama-first lama-subset pyperplan]
                                 [--fast-downward PYTHON] [--time-limit 60]
                                 [--rows FILE] [--anew PLANNERS] [--save] [--json FILE]

Per problem the median of the rounds: *warm* is reading domain and problem and solving in this process, after
a first time, so that the domain's text is known and its rules are compiled; *one-shot* is a whole
``chorewright plan`` process, whose peak memory is noted too; *lama-first* is Fast Downward's driver; *subset*
and *lama-subset* are both on the problem cut to the objects that our relevance kept; *pyperplan* is greedy
search with h_FF, where it reads the problem. Every plan is run by
our validator, which counts its cost. The time limit is one of processor seconds. With ``--rows`` an
interrupted run goes on where it stopped, and figures may be gathered in several runs; ``--anew`` measures
some planners again. Fast Downward is the wheel ``up-fast-downward`` of this interpreter, or of the one given.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from benchmarks.command import benchmark_parser, keep
from benchmarks.corpora.planning_tasks import cut
from benchmarks.planner_sets import HOUSEHOLD, SETS, Given, given
from benchmarks.planner_tables import REFUSED, Figure, Row, median, report, table
from chorewright.domains.pddl import parse_domain, parse_problem, write_domain, write_problem
from chorewright.errors import ChorewrightError, UnsupportedError
from chorewright.planner.engines.processes import fast_downward_driver, in_plain_strips, refuse_beyond_strips
from chorewright.planner.grounding.relevance import Unreachable, relevant_objects
from chorewright.planner.plan import Limits, Plan
from chorewright.planner.plan_files import read_plan
from chorewright.planner.planning import DEFAULT, Configuration, solve
from chorewright.planner.search.configuration import THOROUGH
from chorewright.planner.validation import validate

PLANNERS = ("warm", "one-shot", "subset", "lama-first", "lama-subset", "pyperplan")
MOST_MEGABYTES = 4000
"""Address space of each process."""
PATIENCE = 30
"""Wall-clock seconds that a process gets for each processor second of its limit."""
LATE = 1.25
"""How much more processor time the kernel allows a process: it counts ticks, which are up to a tenth too many."""
FIRST_TIME = 2000
"""Evaluations of the run before the measured ones, which compiles the domain's rules."""
OUT_OF_TIME = (21, 23)
"""Exit codes of Fast Downward's driver and of ours."""


@dataclass(slots=True)
class Measured:
    """Figures by problem and planner, kept in a file: an interrupted run loses one figure at most."""

    path: Path | None
    figures: dict[str, dict[str, list[Figure]]] = field(default_factory=dict)

    @staticmethod
    def read(path: Path | None) -> Measured:
        if path is None or not path.exists():
            return Measured(path)
        stored = json.loads(path.read_text())
        return Measured(
            path,
            {
                key: {name: [Figure(**one) for one in rounds] for name, rounds in planners.items()}
                for key, planners in stored.items()
            },
        )

    def add(self, key: str, planner: str, figure: Figure) -> None:
        self.figures.setdefault(key, {}).setdefault(planner, []).append(figure)
        if self.path is None:
            return
        stored = {
            key: {name: [asdict(one) for one in rounds] for name, rounds in planners.items()}
            for key, planners in self.figures.items()
        }
        spare = self.path.with_suffix(".part")
        spare.write_text(json.dumps(stored, indent=1))
        os.replace(spare, self.path)

    def of(self, key: str, planner: str) -> list[Figure]:
        return self.figures.get(key, {}).get(planner, [])

    def forget(self, key: str, planners: Sequence[str]) -> None:
        for planner in planners:
            self.figures.get(key, {}).pop(planner, None)


@dataclass(frozen=True, slots=True)
class Bench:
    """How planners are run: in this folder, within the limit, and where Fast Downward is."""

    folder: Path
    limit: float
    python: str
    driver: Path | None

    def measure(self, planner: str, one: Given) -> Figure | None:
        """One round of a planner on a problem; None where that planner is not here or not asked."""
        if planner == "warm":
            return self.warm(one)
        if planner == "one-shot":
            self.write(one, "")
            command = [sys.executable, "-m", "chorewright", "plan", "domain.pddl", "problem.pddl"]
            return self.process([*command, "--out", "ours.plan"], one, "ours.plan")
        if planner == "pyperplan":
            return self.pyperplan(one)
        if planner in ("subset", "lama-subset"):
            keep = kept(one) if one.group in HOUSEHOLD else None
            if keep is None:
                return None
            one = replace(one, problem=cut(one.problem, keep))
        if planner == "subset":
            self.warm(one)
            return self.warm(one)
        if self.driver is None:
            return None
        self.write(one, "")
        limit = ["--overall-time-limit", f"{self.limit:g}s", "--alias", "lama-first"]
        command = [self.python, str(self.driver), *limit, "--plan-file", "fd.plan"]
        return self.process([*command, "domain.pddl", "problem.pddl"], one, "fd.plan")

    def write(self, one: Given, prefix: str) -> None:
        """Write a problem's files, with nothing that is ours alone."""
        (self.folder / f"{prefix}domain.pddl").write_text(write_domain(one.domain, expand_at_least=True))
        (self.folder / f"{prefix}problem.pddl").write_text(write_problem(one.problem, expand_at_least=True))

    def warm(self, one: Given) -> Figure:
        """Read and solve in this process."""
        texts = write_domain(one.domain), write_problem(one.problem)
        started = time.process_time()
        domain = parse_domain(texts[0])
        problem = parse_problem(texts[1], domain)
        answer = solve(domain, problem, Limits(seconds=PATIENCE * self.limit), THOROUGH)
        seconds = time.process_time() - started
        if not isinstance(answer, Plan):
            return Figure(note="no plan")
        return Figure(seconds, answer.cost) if seconds <= self.limit else Figure(note=f"> {self.limit:g} s")

    def process(self, command: Sequence[str], one: Given, plan: str) -> Figure:
        """Run a planner as a process with its children; its plan is validated here."""
        (self.folder / plan).unlink(missing_ok=True)
        taken = self.folder / "taken.json"
        taken.unlink(missing_ok=True)
        limits = f"ulimit -v {MOST_MEGABYTES * 1024}; ulimit -t {int(LATE * self.limit) + 1}; exec "
        launch = [sys.executable, "-S", "-m", "benchmarks.launch", str(taken)]
        root = Path(__file__).resolve().parents[1]
        child = subprocess.Popen(
            [*launch, "env", "-C", str(self.folder), "sh", "-c", limits + shlex.join(command)],
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": str(root)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        timer = threading.Timer(PATIENCE * self.limit, lambda: os.killpg(child.pid, signal.SIGKILL))
        timer.start()
        child.wait()
        timer.cancel()
        if not taken.exists():
            return Figure(note=f"> {self.limit:g} s")
        usage = json.loads(taken.read_text())
        seconds, megabytes = usage["seconds"], usage["megabytes"]
        if seconds > self.limit or usage["exit"] in OUT_OF_TIME:
            return Figure(note=f"> {self.limit:g} s", megabytes=megabytes)
        if not (self.folder / plan).exists():
            return Figure(note=f"exit {usage['exit']}", megabytes=megabytes)
        verdict = validate(one.domain, one.problem, read_plan(self.folder / plan).actions)
        if not verdict.valid:
            return Figure(note="invalid", megabytes=megabytes)
        return Figure(seconds, verdict.cost, megabytes=megabytes)

    def pyperplan(self, one: Given) -> Figure:
        """pyperplan's greedy search with h_FF, on what it can read."""
        try:
            refuse_beyond_strips(one.domain, one.problem)
        except UnsupportedError:
            return REFUSED
        domain, problem = in_plain_strips(one.domain, one.problem)
        self.write(replace(one, domain=domain, problem=problem), "strips-")
        options = ["-l", "error", "-s", "gbf", "-H", "hff"]
        command = [sys.executable, "-m", "pyperplan", *options, "strips-domain.pddl", "strips-problem.pddl"]
        return self.process(command, one, "strips-problem.pddl.soln")


def kept(one: Given) -> frozenset[str] | None:
    """The objects of the first tight rung that has a plan; None if none has."""
    for level, budget in enumerate(DEFAULT.rungs):
        try:
            keep = relevant_objects(one.domain, one.problem, level)
        except Unreachable:
            return None
        if keep:
            configuration = Configuration(improve=0, rungs=())
            try:
                answer = solve(one.domain, cut(one.problem, keep), Limits(evaluations=budget), configuration)
            except ChorewrightError:
                continue
            if isinstance(answer, Plan) and validate(one.domain, one.problem, answer.actions).valid:
                return keep
    return None


def key_of(one: Given) -> str:
    """A problem's name with the digest of its text: figures of a problem that has changed are not used."""
    text = write_domain(one.domain) + write_problem(one.problem)
    return f"{one.group} {one.name} {hashlib.sha256(text.encode()).hexdigest()[:12]}"


def measure(one: Given, arguments: argparse.Namespace, bench: Bench, measured: Measured) -> Row:
    """The rounds of all planners on one problem that are not measured yet."""
    key = key_of(one)
    measured.forget(key, arguments.anew)
    for planner in arguments.planners:
        if planner == "warm" and len(measured.of(key, planner)) < arguments.rounds:
            solve(one.domain, one.problem, Limits(evaluations=FIRST_TIME), THOROUGH)
        while len(measured.of(key, planner)) < arguments.rounds:
            figure = bench.measure(planner, one)
            if figure is None:
                break
            measured.add(key, planner, figure)
            if figure.seconds is None:  # a failure is not repeated
                break
    return row(one, measured)


def row(one: Given, measured: Measured) -> Row:
    """What is known of a problem."""
    key = key_of(one)
    figures: Mapping[str, Figure] = {
        planner: median(measured.of(key, planner)) for planner in PLANNERS if measured.of(key, planner)
    }
    return Row(one.group, one.name, len(one.domain.constants) + len(one.problem.objects), figures)


def chosen(arguments: argparse.Namespace) -> Iterator[Given]:
    """The problems asked for."""
    for one in given(arguments.sets, arguments.size, arguments.each):
        if arguments.problems in one.name:
            yield one


def read_arguments() -> argparse.Namespace:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--size", type=int, default=12, help="problems of the sets alfred and teach-like")
    parser.add_argument("--each", type=int, default=3, help="problems of each competition domain")
    parser.add_argument("--problems", default="", help="only problems whose name has this in it")
    parser.add_argument("--planners", nargs="*", choices=PLANNERS, default=list(PLANNERS))
    parser.add_argument("--anew", nargs="*", choices=PLANNERS, default=[], help="measure these again")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--time-limit", type=float, default=60.0, help="processor seconds for each run")
    parser.add_argument("--fast-downward", metavar="PYTHON", default=sys.executable)
    parser.add_argument("--rows", type=Path, default=None, help="keep the figures in this JSON file")
    return parser.parse_args()


def main() -> None:
    """Measure what is missing, then print the tables."""
    arguments = read_arguments()
    driver = fast_downward_driver(arguments.fast_downward)
    if driver is None and {"lama-first", "lama-subset"} & set(arguments.planners):
        hint = "pip install 'chorewright[fast-downward]', or --fast-downward PYTHON"
        print(f"Fast Downward is not here ({hint}): its columns stay empty", file=sys.stderr)
    measured = Measured.read(arguments.rows)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name), arguments.time_limit, arguments.fast_downward, driver)
        for one in chosen(arguments):
            rows.append(measure(one, arguments, bench, measured))
            print(rows[-1].line(), file=sys.stderr, flush=True)
    print(table(rows, arguments.time_limit))
    keep(arguments, report(rows, arguments.time_limit, arguments.sets))


if __name__ == "__main__":
    main()
