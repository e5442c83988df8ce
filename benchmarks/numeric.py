"""Small problems with numbers that change, beside ENHSP in the same run.

    python -m benchmarks.numeric [--enhsp FILE.jar] [--seconds N] [--save] [--json FILE]

The problems are those of ``tests/corpus/numeric``. ENHSP (``up-enhsp`` brings its jar) searches greedily with hadd; its
time has the start of Java in it. Plans of both are run by the validator.
"""

from __future__ import annotations

import re
import resource
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.command import benchmark_parser, keep
from benchmarks.results import Figure, Report, Target
from chorewright.domains.pddl import load_task
from chorewright.planner.plan import GroundAction, Limits, Plan
from chorewright.planner.planning import solve
from chorewright.planner.validation import validate

CORPUS = Path(__file__).resolve().parents[1] / "tests" / "corpus" / "numeric"
STEP = re.compile(r"^\d+(?:\.\d+)?: \(([^()]*)\)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Solved:
    """What a planner did with a problem: the steps of its plan (0 for none), and CPU seconds."""

    steps: int
    seconds: float


def ours(path: Path, seconds: float) -> Solved:
    """Return what our planner does."""
    domain, problem = load_task(path.parent / "domain.pddl", path)
    begun = time.process_time()
    answer = solve(domain, problem, Limits(cpu_seconds=seconds))
    spent = time.process_time() - begun
    return Solved(len(answer.actions) if isinstance(answer, Plan) else 0, spent)


def theirs(path: Path, jar: Path, seconds: float) -> Solved:
    """Return what ENHSP does; a plan that the validator refuses is none."""
    command = ["java", "-Xmx1500m", "-jar", str(jar), "-o", str(path.parent / "domain.pddl"), "-f", str(path)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(
            [*command, "-s", "gbfs", "-h", "hadd"], capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return Solved(0, seconds)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    domain, problem = load_task(path.parent / "domain.pddl", path)
    steps = [GroundAction(words[0], tuple(words[1:])) for words in map(str.split, STEP.findall(done.stdout.lower()))]
    return Solved(len(steps) if validate(domain, problem, steps).valid else 0, spent)


def main() -> None:
    """Print the steps and seconds of both."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--enhsp", type=Path, metavar="FILE.jar", help="ENHSP's jar; without it, only ours is measured")
    parser.add_argument("--seconds", type=float, default=60.0)
    arguments = parser.parse_args()
    paths = sorted(CORPUS.glob("*/p*.pddl"))
    mine: list[Solved] = []
    other: list[Solved] = []
    for path in paths:
        mine.append(ours(path, arguments.seconds))
        row = f"{path.parent.name}/{path.stem:4} ours {mine[-1].steps:4} steps {mine[-1].seconds:6.2f} s"
        if arguments.enhsp:
            other.append(theirs(path, arguments.enhsp, arguments.seconds))
            row += f"   ENHSP {other[-1].steps:4} steps {other[-1].seconds:6.2f} s"
        print(row, flush=True)
    solved = sum(1 for each in mine if each.steps)
    bar = max(1, sum(1 for each in other if each.steps)) if other else len(paths)
    figures = [
        Figure("solved", f"problems solved in {arguments.seconds:g} s", solved, of=len(paths),
               target=Target("at least", 100 * bar / len(paths))),
        Figure("seconds", "CPU time of all", sum(each.seconds for each in mine), "s", digits=1),
    ]  # fmt: skip
    if other:
        both = [(one, two) for one, two in zip(mine, other, strict=True) if one.steps and two.steps]
        figures += [
            Figure("enhsp_solved", "problems solved by ENHSP", sum(1 for each in other if each.steps), of=len(paths)),
            Figure(
                "enhsp_seconds",
                "CPU time of ENHSP, Java's start included",
                sum(e.seconds for e in other),
                "s",
                digits=1,
            ),
            Figure("steps", "steps of our plans, where both have one", sum(one.steps for one, _ in both)),
            Figure("enhsp_steps", "steps of ENHSP's plans there", sum(two.steps for _, two in both)),
        ]
    explanation = "Twenty small problems of seven domains with numbers that change, beside ENHSP (greedy, hadd)."
    keep(arguments, Report("numeric", "Planner", "Numbers that change", explanation, tuple(figures)))


if __name__ == "__main__":
    main()
