"""All activities of BEHAVIOR planned, validated and carried out.

    python -m benchmarks.behavior [--version 100|1k|all] [--first N] [--save] [--json FILE]

Each activity is attempted as ``generate behavior`` does it, and its plan is checked by the validator.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console

from benchmarks.command import benchmark_parser, keep
from benchmarks.results import Figure, Report, Table, Target
from chorewright.generator.behavior.benchmark import EVALUATIONS
from chorewright.generator.behavior.world import ActivityCandidate, ActivityResult, attempt
from chorewright.generator.production.attempts import Attempt
from chorewright.planner.plan import Limits
from chorewright.planner.validation import validate
from chorewright.problems.behavior.kinds import VERSIONS, activity_names, shipped_activity

AIMS = {"100": (100, 30.0), "1k": (1000, None)}
"""How many activities shall be planned, and in how many CPU seconds in all."""

SLOWEST = 10.0
"""CPU seconds that an activity of BEHAVIOR-1K may take."""


@dataclass(frozen=True, slots=True)
class Done:
    """One activity: why it failed (empty if it did not), actions, CPU seconds, and whether it needed supplies."""

    name: str
    reason: str
    actions: int
    seconds: float
    supplied: bool


def run(name: str, version: str) -> Done:
    """Attempt one activity, and validate its plan."""
    started = time.process_time()
    tried: Attempt[ActivityCandidate, ActivityResult] = attempt(
        ActivityCandidate(name, shipped_activity(name, version), 0, 0, 1), Limits(evaluations=EVALUATIONS)
    )
    seconds = time.process_time() - started
    made = tried.made
    plan = made.solution.plan if made is not None else None
    reason = tried.reason
    if made is not None and plan is not None:
        valid = validate(made.solution.domain, made.solution.problem, plan.actions).valid
        reason = reason if valid else "the validator refuses the plan"
    return Done(name, reason, len(plan.actions) if plan else 0, seconds, made is not None and made.scene.supplied)


def measure(version: str, first: int | None, console: Console) -> list[Done]:
    """Attempt the activities of a version, the first ones if asked."""
    found = []
    names = activity_names(version)[:first]
    # Compiled code is loaded before the clock starts.
    run(names[0], version)
    for number, name in enumerate(names, 1):
        found.append(run(name, version))
        if found[-1].reason or number % 100 == 0:
            console.print(f"{number} of {len(names)}: {name} {found[-1].reason}")
    return found


def figures_of(version: str, done: Sequence[Done]) -> tuple[list[Figure], list[tuple[str, ...]]]:
    """Return a version's figures, and a row for each activity that failed or was slow."""
    title = f"BEHAVIOR-{'1K' if version == '1k' else version}"
    met = [each for each in done if not each.reason]
    least, most = AIMS[version]
    whole = len(done) == len(activity_names(version))
    total = sum(each.seconds for each in done)
    figures = [
        Figure(
            f"planned_{version}",
            f"{title}: activities planned, validated and carried out",
            len(met),
            of=len(done),
            target=Target("at least", 100.0 * least / len(activity_names(version))) if whole else None,
        ),
        Figure(
            f"seconds_{version}",
            f"{title}: planning, carrying out and checking, all",
            total,
            "CPU s",
            digits=1,
            target=Target("at most", most) if most is not None and whole else None,
        ),
        Figure(
            f"slowest_{version}",
            f"{title}: the slowest activity that is planned",
            max(each.seconds for each in met),
            "CPU s",
            digits=2,
            target=Target("at most", SLOWEST),
        ),
        Figure(
            f"actions_{version}", f"{title}: actions of a plan, mean", sum(e.actions for e in met) / len(met), digits=1
        ),
        Figure(
            f"supplied_{version}",
            f"{title}: need fixtures, tools or supplies",
            sum(e.supplied for e in met),
            of=len(met),
        ),
    ]
    rows: list[tuple[str, ...]] = [
        (title, each.name, each.reason, f"{each.seconds:.1f}") for each in done if each.reason
    ]
    rows += [(title, e.name, f"{e.actions} actions", f"{e.seconds:.1f}") for e in met if e.seconds > SLOWEST]
    return figures, rows


def main() -> None:
    """Measure, and print or save the figures."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--version", choices=(*VERSIONS, "all"), default="all")
    parser.add_argument("--first", type=int, help="only so many activities of each version")
    asked = parser.parse_args()
    console = Console()
    figures: list[Figure] = []
    rows: list[tuple[str, ...]] = []
    for version in VERSIONS if asked.version == "all" else (asked.version,):
        more, failed = figures_of(version, measure(version, asked.first, console))
        figures += more
        rows += failed
    for figure in figures:
        console.print(f"{figure.label}: {figure.text}")
    explanation = (
        "One robot with one hand. An activity that fails without the fixtures of its rooms is tried with them."
    )
    tables = (Table(("version", "activity", "reason", "CPU s"), tuple(rows), "Not planned, or slow"),) if rows else ()
    keep(asked, Report("behavior", "BEHAVIOR", "BEHAVIOR's activities planned", explanation, tuple(figures), tables))


if __name__ == "__main__":
    main()
