"""What Fast Downward's ``lama-first`` finds within a minute, recorded; ours are compared with it.

``python -m tests.planner.lama_costs`` writes the golden file anew, in about a quarter of an hour.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from benchmarks.corpora.planning_tasks import competition_problems, competition_task
from benchmarks.corpora.reference import sample
from chorewright.domains.pddl import load_domain, load_problem, write_domain, write_problem
from chorewright.domains.pddl.syntax import Domain, Problem
from tests.command import ROOT
from tests.planner.fast_downward import driver

GOLDEN = ROOT / "tests" / "corpus" / "lama_costs.json"
SECONDS = 60


@lru_cache(maxsize=1)
def lama_costs() -> dict[str, float | None]:
    """Costs by ``<domain>/<problem>``, or ``handmethat/<problem>``; None where there was no plan in time."""
    costs: dict[str, float | None] = json.loads(GOLDEN.read_text())
    return costs


def handmethat_task(problem: str) -> tuple[Domain, Problem]:
    """A problem with 230 objects."""
    folder = sample("planner/a")
    domain = load_domain(folder / "domain.pddl")
    return domain, load_problem(folder / problem, domain)


def tasks() -> Iterator[tuple[str, Domain, Problem]]:
    """All tasks by name."""
    for domain, problem in competition_problems():
        yield f"{domain}/{problem}", *competition_task(domain, problem)
    for path in sorted(sample("planner/a").glob("p*.pddl")):
        yield f"handmethat/{path.name}", *handmethat_task(path.name)


def measured(domain: Domain, problem: Problem, folder: Path) -> float | None:
    """The cost of the plan that ``lama-first`` finds."""
    (folder / "domain.pddl").write_text(write_domain(domain, expand_at_least=True))
    (folder / "problem.pddl").write_text(write_problem(problem, expand_at_least=True))
    limit = ["--overall-time-limit", f"{SECONDS}s", "--alias", "lama-first"]
    command = [sys.executable, str(driver()), *limit, "domain.pddl", "problem.pddl"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    cost = re.search(r"Plan cost: (\d+)", done.stdout)
    return float(cost.group(1)) if cost else None


def main() -> None:
    """Write the golden file."""
    with tempfile.TemporaryDirectory() as name:
        costs = {key: measured(domain, problem, Path(name)) for key, domain, problem in tasks()}
    GOLDEN.write_text(json.dumps(costs, indent=1) + "\n")


if __name__ == "__main__":
    main()
