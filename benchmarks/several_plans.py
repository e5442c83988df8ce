"""The cheapest plans of small problems beside K*, and how much plans that are to differ have in common.

    python -m benchmarks.several_plans [--kstar PYTHON] [--problems N] [--plans N] [--save] [--json FILE]

Problems of at most 3,000 reachable states are drawn from the domains that ship. ``plan --plans`` gives plans that visit
no state twice and end where the goal holds; of the plans of K* (package ``kstar-planner`` of the interpreter PYTHON)
those count that do so, too. Their costs, in order, must be ours.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from statistics import mean

from benchmarks.command import benchmark_parser, keep
from benchmarks.results import Figure, Report, Target
from chorewright.domains.formulas import Facts, holds
from chorewright.domains.pddl import write_domain, write_problem
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import LimitError
from chorewright.files.stopping import Alarm
from chorewright.planner.equivalence.cheapest_plans import cheapest_plans, different_plans
from chorewright.planner.plan import GroundAction, Plan
from chorewright.planner.plan_files import parse_plan
from chorewright.planner.validation import PlanWorld, depends_on_numbers, validate
from chorewright.problems.pddl.scenes import NoScene
from chorewright.problems.pddl.template_files import classic_domain, classic_names, classic_template, draw

MOST_STATES, SEEDS = 3000, 4
KSTAR = """
import json, sys
from pathlib import Path
from kstar_planner.planners import plan_topk
found = plan_topk(domain_file=Path("domain.pddl"), problem_file=Path("problem.pddl"),
                  number_of_plans_bound=int(sys.argv[1]), timeout=60)
print("plans:" + json.dumps([each["actions"] for each in found["plans"]]))
"""


def small_problems() -> Iterator[tuple[Domain, Problem]]:
    """Yield problems of the first bands of the domains that ship, a domain after the other."""
    for seed in range(SEEDS):
        for name in classic_names():
            domain, template = classic_domain(name), classic_template(name)
            try:
                problem = draw(template, domain, (seed,), template.bands[0].numbers if template.bands else ())
            except NoScene:
                continue
            if not depends_on_numbers(domain, problem):
                yield domain, problem


def ours(domain: Domain, problem: Problem, count: int) -> tuple[list[Plan], list[Plan]]:
    """Return the cheapest plans, and five that are to differ; none of a problem that is not small."""
    with Alarm() as alarm:
        try:
            found = list(islice(cheapest_plans(domain, problem, alarm, MOST_STATES), count))
        except LimitError:
            return [], []
        return found, different_plans(iter(found), 5)


def theirs(python: str, domain: Domain, problem: Problem, count: int) -> list[float]:
    """Return the costs of those of K*'s plans that visit no state twice and end where the goal holds."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "domain.pddl").write_text(write_domain(domain, expand_at_least=True))
        (folder / "problem.pddl").write_text(write_problem(problem, expand_at_least=True))
        command = [python, "-c", KSTAR, str(count)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    plans = next((line[6:] for line in done.stdout.splitlines() if line.startswith("plans:")), "[]")
    read = [parse_plan("".join(f"({action})\n" for action in each)).actions for each in json.loads(plans)]
    return sorted(validate(domain, problem, each).cost for each in read if _is_simple(domain, problem, each))


def _is_simple(domain: Domain, problem: Problem, actions: Sequence[GroundAction]) -> bool:
    world = PlanWorld.of(domain, problem)
    states = [world.initial()]
    for action in actions:
        if holds(problem.goal, Facts(states[-1]), world.universe):
            return False
        states.append(world.apply(action, states[-1], Facts(states[-1])))
    return len(set(states)) == len(states)


def _common(plans: Sequence[Plan]) -> float:
    """The share of a plan's actions that the first plan has, too."""
    first = set(plans[0].actions)
    return mean(len(first.intersection(each.actions)) / max(1, len(each.actions)) for each in plans[1:])


def main() -> None:
    """Print what differs, and the counts."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--kstar", metavar="PYTHON", default=sys.executable)
    parser.add_argument("--problems", type=int, default=20)
    parser.add_argument("--plans", type=int, default=100, help="of K*")
    arguments = parser.parse_args()
    problems = equal = compared = 0
    shares: list[tuple[float, float]] = []
    for domain, problem in small_problems():
        if problems == arguments.problems:
            break
        cheapest, different = ours(domain, problem, arguments.plans)
        if len(cheapest) < 2:
            continue
        costs = theirs(arguments.kstar, domain, problem, arguments.plans)
        problems += 1
        compared += len(costs)
        equal += bool(costs) and costs == [each.cost for each in cheapest[: len(costs)]]
        shares.append((_common(cheapest[: len(different)]), _common(different)))
        print(f"{domain.name}: {len(costs)} plans, cost {costs[:3]} and {[each.cost for each in cheapest[:3]]}")
    figures = (
        Figure(
            "equal",
            "problems whose cheapest plans cost what K*'s do",
            equal,
            of=problems,
            target=Target("at least", 100),
        ),
        Figure("compared", "plans compared", compared),
        Figure(
            "common",
            "actions of five cheapest plans that the first has",
            100 * mean(a for a, _ in shares),
            "%",
            digits=0,
        ),
        Figure("different", "of five plans that are to differ", 100 * mean(b for _, b in shares), "%", digits=0),
    )
    explanation = "Several plans of small problems of the domains that ship, beside K* (`kstar-planner`)."
    keep(arguments, Report("several_plans", "Planner", "Several plans of one problem", explanation, figures))
    for figure in figures:
        print(f"{figure.label}: {figure.text}")


if __name__ == "__main__":
    main()
