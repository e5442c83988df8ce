"""Problems with numbers that change, beside ENHSP and kairos in the same run.

    python -m benchmarks.numeric [--instances FOLDER] [--shares 0.25 0.5] [--only TEXT ...] [--planners NAME ...]
                                 [--enhsp FILE.jar] [--kairos PROGRAM] [--seconds 60]
                                 [--rows FILE] [--save] [--json FILE]

FOLDER is a checkout of ``pyPMT/numeric-domains``: of each domain of the numeric track of 2023 the problems at a quarter
and at half of its series (``--shares``). Without it, the problems are those of ``tests/corpus/numeric``. ENHSP
(``up-enhsp`` brings its jar) and kairos (``kairos-planner`` brings the program) search as they do by default, and look
for cheaper plans until the limit. The limit is one of processor seconds of the whole process, the start of Java and of
Python included. Plans of all are run by our validator, which counts their costs. With ``--rows`` an interrupted run
goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.command import benchmark_parser, given_path, keep
from benchmarks.first_plans import natural
from benchmarks.results import Figure, Report, Table, Target
from chorewright.domains.pddl import load_task
from chorewright.errors import ChorewrightError
from chorewright.planner.plan_files import parse_plan
from chorewright.planner.validation import validate

CORPUS = Path(__file__).resolve().parents[1] / "tests" / "corpus" / "numeric"
TRACK = (
    *("block-grouping", "counters", "delivery", "drone", "expedition", "ext-plant-watering", "farmland"),
    *("fo-counters", "fo-farmland", "fo-sailing", "hydropower", "markettrader", "mprime", "pathwaysmetric", "rover"),
    *("sailing", "settlers/settlersnumeric", "sugar", "tpp", "zenotravel"),
)
"""The domains of the numeric track of 2023, as the folders are called."""

OURS = "chorewright"
PATIENCE = 30
"""Wall-clock seconds for each processor second of the limit."""

INVALID = "invalid"
"""The note of a planner whose last plans our validator refuses."""

SAME = 1e-6
"""By how much costs may differ that are one."""

Row = Mapping[str, "Solved"]


@dataclass(frozen=True, slots=True)
class Solved:
    """What a planner did with a problem: its plan's cost and length (None: it has none), CPU seconds, and a note."""

    cost: float | None
    steps: int | None
    seconds: float
    note: str = ""

    def __str__(self) -> str:
        return f"{INVALID if self.note == INVALID else '-':>9}" if self.cost is None else f"{self.cost:9.6g}"


def instances(folder: Path, shares: Sequence[float]) -> Iterator[tuple[str, Path, Path]]:
    """Yield the names, domains and problems of a checkout."""
    for name in TRACK:
        problems = sorted((folder / name / "instances").glob("*.pddl"), key=natural)
        for share in shares:
            path = problems[min(len(problems) - 1, max(0, round(share * len(problems)) - 1))]
            yield f"{name.rpartition('/')[2]}/{path.stem}", folder / name / "domain.pddl", path


def command_of(planner: str, arguments: argparse.Namespace, domain: Path, problem: Path) -> list[str]:
    """Return the command that runs a planner; it prints its plans, or writes them to files ``plan*``."""
    if planner == OURS:
        limit = f"{arguments.seconds:g}"
        return [
            sys.executable,
            "-m",
            OURS,
            "plan",
            str(domain),
            str(problem),
            "--cpu-limit",
            limit,
            "--out",
            "plan",
            "--search",
            "anytime",
        ]
    if planner == "enhsp":
        java = ["java", "-Xmx3g", "-XX:+UseSerialGC", "-jar", str(arguments.enhsp)]
        return [*java, "-o", str(domain), "-f", str(problem), "-s", "gbfs", "-h", "hadd", "-anytime"]
    seconds = str(PATIENCE * arguments.seconds)
    return [str(arguments.kairos), str(domain), str(problem), "--threads", "1", "--timeout", seconds]


def measure(planner: str, arguments: argparse.Namespace, domain: Path, problem: Path) -> Solved:
    """Run a planner on a problem; of several plans the last that is valid and whole counts."""
    limit = int(arguments.seconds) + (1 if planner == OURS else 0)  # ours heeds its limit itself
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as name:
        with (
            (Path(name) / "output").open("w") as output,
            subprocess.Popen(
                command_of(planner, arguments, domain, problem),
                cwd=name,
                stdout=output,
                stderr=subprocess.STDOUT,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
            ) as process,
        ):
            try:
                process.wait(PATIENCE * arguments.seconds)
            except subprocess.TimeoutExpired:
                process.kill()
        text = (Path(name) / "output").read_text(errors="replace")
        plan = (Path(name) / "plan").read_text() if (Path(name) / "plan").exists() else None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    note = (
        "" if plan is not None or spent >= arguments.seconds - 1 else (text.strip().splitlines() or ["none"])[-1][:60]
    )
    texts = [plan] if plan is not None else [] if planner == OURS else plans_in(text)
    return judge(domain, problem, texts, spent, note)


def plans_in(text: str) -> list[str]:
    """Return the plans that a planner printed, the last one first."""
    plans: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.strip().endswith(")") and line.lstrip("0123456789.: ").startswith("("):
            plans[-1].append(line)
        elif plans[-1]:
            plans.append([])
    return ["\n".join(each) for each in reversed(plans) if each]


def judge(domain: Path, problem: Path, plans: Sequence[str], seconds: float, note: str) -> Solved:
    """Return the cost of the first valid plan."""
    try:
        task = load_task(domain, problem)
        for plan in plans[:3]:
            actions = parse_plan(plan).actions
            verdict = validate(*task, actions)
            if verdict.valid:
                cost = (
                    verdict.cost if task[1].metric is None or task[1].metric.direction == "minimize" else -verdict.cost
                )
                return Solved(float(cost), len(actions), seconds)
            note = INVALID
    except ChorewrightError as error:
        return Solved(None, None, seconds, type(error).__name__)
    return Solved(None, None, seconds, note)


def read_rows(path: Path | None) -> dict[str, dict[str, Solved]]:
    """Read the rows of an earlier run; none if there is no file."""
    rows: dict[str, dict[str, Solved]] = {}
    for line in path.read_text().splitlines() if path is not None and path.exists() else []:
        row = json.loads(line)
        problem, planner = row.pop("problem"), row.pop("planner")
        rows.setdefault(problem, {})[planner] = Solved(**row)
    return rows


def report(rows: Mapping[str, Row], planners: Sequence[str], seconds: float) -> Report:
    """Return the figures and the table of all problems."""
    peers = [each for each in planners if each != OURS]
    solved = {each: sum(row[each].cost is not None for row in rows.values()) for each in planners}
    target = Target("at least", 100 * max((solved[each] for each in peers), default=len(rows)) / len(rows))
    figures = [Figure("solved", "problems solved", solved.get(OURS, 0), of=len(rows), target=target)]
    for peer in peers:
        figures.append(Figure(f"{peer}_solved", f"problems solved by {peer}", solved[peer], of=len(rows)))
        pairs = [(row[OURS].cost, row[peer].cost) for row in rows.values() if OURS in row]
        both = [(one, other) for one, other in pairs if one is not None and other is not None]
        if both:
            cheap = sum(one <= other + SAME for one, other in both)
            label = f"cost at the end at most {peer}'s"
            figures.append(Figure(f"{peer}_cheap", label, cheap, of=len(both), target=Target("at least", 80)))
    table = tuple((name, *(str(row[each]).strip() for each in planners)) for name, row in rows.items())
    return Report(
        name="numeric",
        group="Planner",
        title="Numbers that change",
        explanation=f"Problems with numbers that change, {seconds:g} CPU seconds each, beside ENHSP (greedy, hadd, "
        "anytime) and kairos (anytime, one thread): costs at the end by our validator.",
        figures=tuple(figures),
        tables=(Table(("problem", *planners), table),),
    )


def main() -> None:
    """Measure what is missing, then print the table."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--instances", type=given_path, metavar="FOLDER", help="a checkout of pyPMT/numeric-domains")
    parser.add_argument("--shares", type=float, nargs="+", default=[0.25, 0.5], help="how far into each series")
    parser.add_argument("--only", nargs="+", default=[""], metavar="TEXT", help="only problems with one of these names")
    parser.add_argument("--planners", nargs="+", default=None, help="chorewright, enhsp, kairos; all that are given")
    parser.add_argument("--enhsp", type=given_path, metavar="FILE.jar", help="ENHSP's jar")
    parser.add_argument("--kairos", type=given_path, metavar="PROGRAM", help="kairos's program")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rows", type=Path, default=None, help="keep what each planner did in this file")
    arguments = parser.parse_args()
    present = [OURS, *(each for each in ("enhsp", "kairos") if getattr(arguments, each))]
    planners = arguments.planners or present
    given = [
        (f"{path.parent.name}/{path.stem}", path.parent / "domain.pddl", path) for path in CORPUS.glob("*/p*.pddl")
    ]
    if arguments.instances:
        given = list(instances(arguments.instances.resolve(), arguments.shares))
    given = sorted(each for each in given if any(text in each[0] for text in arguments.only))
    rows = read_rows(arguments.rows)
    for name, domain, problem in given:
        row = rows.setdefault(name, {})
        for planner in planners:
            if planner not in row:
                row[planner] = measure(planner, arguments, domain, problem)
                if arguments.rows:
                    with arguments.rows.open("a") as file:
                        file.write(json.dumps({"problem": name, "planner": planner, **asdict(row[planner])}) + "\n")
        print(f"{name:36}", *(f"{each} {row[each]} {row[each].seconds:6.2f} s " for each in planners), flush=True)
    found = report({name: rows[name] for name, *_ in given}, planners, arguments.seconds)
    for figure in found.figures:
        print(f"{figure.label}: {figure.text}")
    keep(arguments, found)


if __name__ == "__main__":
    main()
