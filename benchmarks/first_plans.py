"""The first plan, and the plan at the end, beside Fast Downward's lama-first: one problem of each competition domain.

    python -m benchmarks.first_plans FOLDER [--shares 0.4 0.7] [--time-limit 60] [--workers N] [--domains NAME ...]
                                     [--fast-downward PYTHON] [--driver FILE] [--rows FILE] [--save] [--json FILE]

FOLDER is a checkout of ``aibasel/downward-benchmarks``. Of each domain the last satisficing series counts, and of it
the problem at 40 % of its length (``--shares``): with another share the result is called ``first_plans-70``, with
several ``first_plans_series``. Three processes run on each, one after the other: ``chorewright plan --improve 0``, the
same with improvement as it is by default, and Fast Downward's driver. Seconds are processor seconds of the process with
its children, memory is the peak of the largest; our validator judges all plans and counts their costs. With ``--rows``
an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.command import benchmark_parser, given_path, keep
from benchmarks.planner import Bench
from benchmarks.planner_sets import Given
from benchmarks.planner_tables import CHEAP, Figure
from benchmarks.results import Figure as KeyFigure
from benchmarks.results import Report, Table, Target
from chorewright.domains.pddl import load_domain, load_problem
from chorewright.errors import ChorewrightError
from chorewright.planner.engines.processes import fast_downward_driver
from chorewright.planner.warming import ensure_compiled

FIRST, LAST, LAMA = "first", "last", "lama-first"
SERIES_RESULT = "first_plans_series"
USUAL = 0.4
"""How far into its series a problem is; those of another share are another result, ``first_plans-70``."""

HEADROOM = 0.98
"""Of the limit, what our process takes: it then ends within it, with the best plan so far."""
SERIES = re.compile(r"(?P<domain>.+?)(-(?P<track>opt|sat|mco|agl)?(?P<year>\d\d))?(-(strips|adl|simpleadl|fulladl))?")
PROBLEM = re.compile(r"(?!.*domain).*\.pddl")
COLUMNS = ("problem", "first s", "cost", "last s", "cost", "MB", "lama-first s", "cost", "MB")


@dataclass(frozen=True, slots=True)
class Instance:
    """A problem's name and its two files."""

    name: str
    domain: Path
    problem: Path


def instances(folder: Path, shares: Sequence[float], domains: Sequence[str] = ()) -> Iterator[Instance]:
    """Yield the problems of a checkout, by domain.

    Args:
        folder: The checkout.
        shares: How far into the series the problems are, from 0 to 1.
        domains: The only domains to take; all by default.
    """
    for domain, series in last_series(folder).items():
        if domains and domain not in domains:
            continue
        problems = sorted((path for path in series.iterdir() if PROBLEM.fullmatch(path.name)), key=natural)
        for share in shares:
            path = problems[min(len(problems) - 1, max(0, round(share * len(problems)) - 1))]
            if (file := _domain_file(path)) is not None:
                yield Instance(f"{series.name}/{path.stem}", file, path)


def last_series(folder: Path) -> dict[str, Path]:
    """Return each domain's last satisficing series; a domain without one has its last series of another track."""
    best: dict[str, tuple[tuple[bool, int, str], Path]] = {}
    for series in sorted(path for path in folder.iterdir() if any(path.glob("*.pddl"))):
        found = SERIES.fullmatch(series.name)
        assert found is not None
        year = int(found["year"] or 0)
        rank = found["track"] in ("sat", None), year, series.name
        if found["domain"] not in best or rank > best[found["domain"]][0]:
            best[found["domain"]] = rank, series
    return {domain: series for domain, (_, series) in sorted(best.items())}


def natural(path: Path) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", path.name)]


def _domain_file(problem: Path) -> Path | None:
    """The domain of a problem: its own, or that of its series."""
    folder, name = problem.parent, problem.name
    own = (f"domain_{name}", f"{problem.stem}-domain.pddl", f"{name[:3]}-domain.pddl", "domain.pddl")
    return next((folder / each for each in own if (folder / each).is_file()), None)


@dataclass(frozen=True, slots=True)
class Setting:
    """How each process runs: its limit in processor seconds, Python and driver of Fast Downward."""

    limit: float
    python: str
    driver: Path


def measure(instance: Instance, setting: Setting) -> Mapping[str, Figure]:
    """Run the three processes on a problem."""
    try:
        domain = load_domain(instance.domain)
        one = Given("first plans", instance.name, domain, load_problem(instance.problem, domain))
    except ChorewrightError as error:
        return {name: Figure(note=type(error).__name__) for name in (FIRST, LAST, LAMA)}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), setting.limit, setting.python, setting.driver)
        bench.write(one, "")
        ours = [sys.executable, "-m", "chorewright", "plan", "domain.pddl", "problem.pddl", "--out", "ours.plan"]
        ours += ["--cpu-limit", f"{HEADROOM * setting.limit:g}"]
        first = bench.process([*ours, "--improve", "0"], one, "ours.plan")
        last = bench.process(ours, one, "ours.plan") if first.solved else first
        lama = bench.measure(LAMA, one)
    assert lama is not None
    return {FIRST: first, LAST: last, LAMA: lama}


Rows = dict[str, Mapping[str, Figure]]


def read_rows(path: Path | None) -> Rows:
    """Read the rows of an earlier run; none if there is no file."""
    if path is None or not path.exists():
        return {}
    stored = json.loads(path.read_text())
    return {name: {key: Figure(**one) for key, one in figures.items()} for name, figures in stored.items()}


def write_rows(path: Path | None, rows: Rows) -> None:
    """Write the rows, if a file is asked for."""
    if path is not None:
        stored = {name: {key: asdict(one) for key, one in figures.items()} for name, figures in rows.items()}
        path.write_text(json.dumps(stored, indent=1))


def report(rows: Rows, limit: float, shares: Sequence[float] = (USUAL,)) -> Report:
    """Return the figures and the table of all problems: one of each domain, or several along its series."""
    [far, *more] = shares
    further = "" if more or far == USUAL else f"at {100 * far:.0f} % of each series"
    order = sorted(rows)
    both = [rows[name] for name in order if rows[name][FIRST].solved and rows[name][LAMA].solved]
    ours, theirs = (sum(rows[name][key].solved for name in order) for key in (FIRST, LAMA))
    costs = [_ratio(row[LAST].cost, row[LAMA].cost) for row in both]
    figures = [
        KeyFigure(
            "solved", "problems solved", ours, of=len(order), target=Target("at least", 100 * theirs / len(order))
        ),
        KeyFigure("solved_lama", "problems solved by lama-first", theirs, of=len(order)),
    ]
    if both:
        times = statistics.median(_ratio(row[FIRST].seconds, row[LAMA].seconds) for row in both)
        memory = statistics.median(_ratio(row[LAST].megabytes, row[LAMA].megabytes) for row in both)
        cheap = sum(ratio <= 1 + CHEAP for ratio in costs)
        figures += [
            KeyFigure(
                "cheap", "cost at the end at most lama-first's", cheap, of=len(both), target=Target("at least", 95)
            ),
            KeyFigure("dearest", "greatest cost to lama-first's", max(costs), digits=2, target=Target("at most", 1.5)),
            KeyFigure("time", "seconds to the first plan to its, median", times, digits=2, target=Target("at most", 2)),
            KeyFigure("memory", "peak memory to its, median", memory, digits=2, target=Target("at most", 3)),
        ]
    return Report(
        name=SERIES_RESULT if more else f"first_plans-{100 * far:.0f}" if further else "first_plans",
        group="Planner",
        title=f"First plans{' along series' * bool(more)} of competition problems{further and f', {further}'}",
        explanation=f"{'Several problems' if more else 'One problem'} of each domain of `downward-benchmarks`, "
        f"{limit:g} CPU seconds each, beside Fast Downward's `lama-first`: CPU seconds to the first plan and to the "
        "end, costs by our validator, peak MB.",
        figures=tuple(figures),
        tables=(Table(COLUMNS, tuple(_cells(name, rows[name]) for name in order)),),
    )


def _ratio(own: float | None, other: float | None) -> float:
    """A ratio of figures that are there; equal ones, also two zeros, give 1."""
    assert own is not None
    assert other is not None
    return 1.0 if own == other else own / max(other, CHEAP)


def _cells(name: str, row: Mapping[str, Figure]) -> tuple[str, ...]:
    def seconds(one: Figure) -> str:
        return one.note if one.seconds is None else f"{one.seconds:.2f}"

    def number(value: float | None) -> str:
        return "" if value is None else f"{value:.6g}"

    first, last, lama = row[FIRST], row[LAST], row[LAMA]
    ours = [seconds(first), number(first.cost), seconds(last), number(last.cost), _megabytes(last)]
    return (name, *ours, seconds(lama), number(lama.cost), _megabytes(lama))


def _megabytes(one: Figure) -> str:
    return "" if one.megabytes is None else f"{one.megabytes:.0f}"


def read_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("folder", type=given_path, help="a checkout of aibasel/downward-benchmarks")
    parser.add_argument(
        "--shares", type=float, nargs="+", default=[USUAL], help="how far into each series, from 0 to 1"
    )
    parser.add_argument("--domains", nargs="+", default=[], help="only these domains")
    parser.add_argument("--time-limit", type=float, default=60.0, help="processor seconds of each process")
    parser.add_argument("--workers", type=int, default=1, help="problems at the same time")
    parser.add_argument("--fast-downward", metavar="PYTHON", default=sys.executable)
    parser.add_argument("--driver", type=given_path, default=None, help="fast-downward.py; that of PYTHON by default")
    parser.add_argument("--rows", type=Path, default=None, help="keep the figures in this JSON file")
    return parser.parse_args()


def main() -> None:
    """Measure what is missing, then print the table."""
    arguments = read_arguments()
    driver = arguments.driver or fast_downward_driver(arguments.fast_downward)
    if driver is None:
        sys.exit("Fast Downward is not here: pip install 'chorewright[fast-downward]', or --driver FILE")
    ensure_compiled()
    setting = Setting(arguments.time_limit, arguments.fast_downward, driver.resolve())
    rows = read_rows(arguments.rows)
    given = list(instances(arguments.folder.resolve(), arguments.shares, arguments.domains))
    asked = [one for one in given if one.name not in rows]
    with ProcessPoolExecutor(arguments.workers) as pool:
        running = {pool.submit(measure, one, setting): one.name for one in asked}
        for done in as_completed(running):
            rows[running[done]] = done.result()
            print(" | ".join(_cells(running[done], rows[running[done]])), file=sys.stderr, flush=True)
            write_rows(arguments.rows, rows)
    found = report({one.name: rows[one.name] for one in given}, arguments.time_limit, arguments.shares)
    for figure in found.figures:
        print(f"{figure.label}: {figure.text}")
    keep(arguments, found)


if __name__ == "__main__":
    main()
