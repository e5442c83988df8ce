"""The planning problems of the Embodied Agent Interface: planned here, beside its gold plans.

    python -m benchmarks.eai WHEEL [--save] [--json FILE]

WHEEL is ``eai-eval`` 1.0.5, as ``pip download --no-deps eai-eval==1.0.5`` fetches it: PDDL domains with 100 problems of
BEHAVIOR and 338 of VirtualHome, and a gold plan for each.
"""

from __future__ import annotations

import json
import time
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from rich.console import Console

from benchmarks.command import benchmark_parser, keep
from benchmarks.results import Figure, Report, Target
from chorewright.domains.pddl.parser import parse_domain, parse_problem
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import InputErrors
from chorewright.planner.plan import GroundAction, Limits, Plan, Unsolvable
from chorewright.planner.planning import solve
from chorewright.planner.validation import validate

FOLDER = "virtualhome_eval/resources"
DOMAINS = {"behavior": ("BEHAVIOR", 99, 100), "virtualhome": ("VirtualHome", 211, 216)}
"""What each is called, how many problems shall be planned, and of how many."""

GOLD_SHARE = 0.85
EVALUATIONS = 50_000


@dataclass(slots=True)
class Tally:
    """Counts of one domain's problems."""

    problems: int = 0
    malformed: int = 0
    unsolvable: int = 0
    planned: int = 0
    seconds: float = 0.0
    ours: int = 0
    gold: int = 0
    compared: int = 0
    gold_valid: int = 0


def actions_of(lines: Sequence[str]) -> list[GroundAction]:
    """Return a gold plan's actions."""
    return [GroundAction(words[0], tuple(words[1:])) for words in (line.lower().split() for line in lines)]


def respelt(actions: Sequence[GroundAction], domain: Domain) -> list[GroundAction]:
    """Return actions in the domain's spelling: gold plans have underscores where some names have dashes."""
    spelling = {each.name.replace("-", "_"): each.name for each in domain.actions}
    return [GroundAction(spelling.get(each.name.replace("-", "_"), each.name), each.arguments) for each in actions]


def run(problem: Problem, domain: Domain, gold: Sequence[str] | None, tally: Tally) -> None:
    """Plan one problem, and judge its gold plan."""
    started = time.process_time()
    plan = solve(domain, problem, Limits(evaluations=EVALUATIONS))
    tally.seconds += time.process_time() - started
    tally.unsolvable += isinstance(plan, Unsolvable)
    if not isinstance(plan, Plan) or not validate(domain, problem, plan.actions).valid:
        return
    tally.planned += 1
    if gold is not None:
        tally.compared += 1
        tally.ours += len(plan.actions)
        tally.gold += len(gold)
        tally.gold_valid += validate(domain, problem, respelt(actions_of(gold), domain)).valid


def measure(archive: zipfile.ZipFile, name: str) -> Tally:
    """Plan all problems of a domain."""
    domain = parse_domain(archive.read(f"{FOLDER}/{name}/{name}.pddl").decode("utf-8"), f"{name}.pddl")
    gold: Mapping[str, list[str]] = json.loads(archive.read(f"{FOLDER}/{name}/gold_pddl_plan.json"))
    tally = Tally()
    for member in sorted(archive.namelist()):
        if not member.startswith(f"{FOLDER}/{name}/problem_pddl/") or not member.endswith(".pddl"):
            continue
        tally.problems += 1
        try:
            problem = parse_problem(archive.read(member).decode("utf-8"), domain, member)
        except InputErrors:
            tally.malformed += 1
            continue
        run(problem, domain, gold.get(PurePosixPath(member).stem), tally)
    return tally


def figures_of(name: str, tally: Tally) -> tuple[Figure, ...]:
    """Return a domain's figures."""
    title, least, most = DOMAINS[name]
    well = tally.problems - tally.malformed
    return (
        Figure(
            f"planned_{name}",
            f"{title}: well-formed problems planned and validated",
            tally.planned,
            of=well,
            target=Target("at least", 100.0 * least / (most - (name == "behavior"))),
        ),
        Figure(
            f"malformed_{name}",
            f"{title}: problems that break their domain's types",
            tally.malformed,
            of=tally.problems,
        ),
        Figure(f"unsolvable_{name}", f"{title}: problems that are unsolvable", tally.unsolvable, of=well),
        Figure(f"seconds_{name}", f"{title}: planning, all", tally.seconds, "CPU s", digits=1),
        Figure(
            f"length_{name}",
            f"{title}: actions of our plans, as a share of the gold plans'",
            tally.ours / tally.gold,
            digits=3,
            target=Target("at most", GOLD_SHARE),
        ),
        Figure(f"gold_{name}", f"{title}: gold plans that the validator accepts", tally.gold_valid, of=tally.compared),
    )


def main() -> None:
    """Measure, and print or save the figures."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("wheel", help="eai_eval-1.0.5-py3-none-any.whl")
    asked = parser.parse_args()
    console = Console()
    figures: list[Figure] = []
    with zipfile.ZipFile(asked.wheel) as archive:
        for name in DOMAINS:
            figures += figures_of(name, measure(archive, name))
    for figure in figures:
        console.print(f"{figure.label}: {figure.text}")
    explanation = "Its own PDDL domains and problems (eai-eval 1.0.5), planned as they are."
    keep(asked, Report("eai", "BEHAVIOR", "The Embodied Agent Interface's problems", explanation, tuple(figures)))


if __name__ == "__main__":
    main()
