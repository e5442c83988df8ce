"""How many different plans there are for a problem under several hash seeds: ours, and pyperplan's.

    python -m benchmarks.plan_determinism [--sets planner/a handmethat-like alfred teach-like ipc]
                                          [--seeds 5] [--peer] [--save] [--json FILE]

For each hash seed one process solves all problems; another with ``--peer`` runs pyperplan (greedy, h_FF) on
the competition problems that it reads, a process each. Prints the problems that have more than one plan, and
the counts. Exit code 1 if one of our problems has.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
from argparse import SUPPRESS
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from benchmarks.command import benchmark_parser, keep
from benchmarks.planner_sets import SETS, Given, given
from benchmarks.results import Figure, Report
from chorewright.domains.pddl import write_domain, write_problem
from chorewright.errors import UnsupportedError
from chorewright.planner.engines.processes import in_plain_strips, refuse_beyond_strips
from chorewright.planner.plan import Limits, Plan
from chorewright.planner.planning import solve

EVALUATIONS = 200_000
"""A limit that is the same on every machine."""
PEER_SECONDS = 10


def plans(sets: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Our problems with the digests of our plans, under this process's hash seed."""
    for one in given(sets):
        answer = solve(one.domain, one.problem, Limits(evaluations=EVALUATIONS))
        found = "\n".join(map(str, answer.actions)) if isinstance(answer, Plan) else str(answer)
        yield f"{one.group} {one.name}", hashlib.sha256(found.encode()).hexdigest()[:12]


def under(seed: int, sets: Sequence[str]) -> dict[str, str]:
    """The same in a process of its own with a hash seed."""
    command = [sys.executable, "-m", "benchmarks.plan_determinism", "--child", "--sets", *sets]
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def peer_plans(one: Given, seeds: Sequence[int]) -> set[str]:
    """pyperplan's plans of a problem: empty if it does not read it or finds none in time."""
    try:
        refuse_beyond_strips(one.domain, one.problem)
    except UnsupportedError:
        return set()
    found = set()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        domain, problem = in_plain_strips(one.domain, one.problem)
        (folder / "domain.pddl").write_text(write_domain(domain))
        (folder / "problem.pddl").write_text(write_problem(problem))
        arguments = [
            sys.executable,
            "-m",
            "pyperplan",
            "-l",
            "error",
            "-s",
            "gbf",
            "-H",
            "hff",
            "domain.pddl",
            "problem.pddl",
        ]
        for seed in seeds:
            environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
            command = ["sh", "-c", f"ulimit -t {PEER_SECONDS}; exec {shlex.join(arguments)}"]
            subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
            solution = folder / "problem.pddl.soln"
            if not solution.exists():
                return set()
            found.add(solution.read_text())
            solution.unlink()
    return found


def main() -> None:
    """Solve under each seed, compare, print."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--peer", action="store_true", help="pyperplan beside ours")
    parser.add_argument("--child", action="store_true", help=SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(dict(plans(arguments.sets))))
        return
    runs = [under(seed, arguments.sets) for seed in range(arguments.seeds)]
    different = {name: len({run[name] for run in runs}) for name in runs[0]}
    print("".join(f"{name}: {count} plans\n" for name, count in different.items() if count > 1), end="")
    print(f"ours: {counts(different.values())} under {arguments.seeds} hash seeds")
    if arguments.peer and "ipc" in arguments.sets:
        theirs = [peer_plans(one, range(arguments.seeds)) for one in given(["ipc"])]
        print(f"pyperplan: {counts(len(found) for found in theirs if found)}")
    one = sum(count == 1 for count in different.values())
    figure = Figure("one_plan", f"problems with one plan under {arguments.seeds} hash seeds", one, of=len(different))
    keep(
        arguments,
        Report(
            name="plan_determinism",
            group="Planner",
            title="One plan for all hash seeds",
            explanation=f"Problems of the sets {', '.join(arguments.sets)}, a process for each seed.",
            figures=(figure,),
        ),
    )
    sys.exit(one < len(different))


def counts(numbers: Iterable[int]) -> str:
    """How many problems have one plan, two, ..."""
    found = Counter(numbers)
    return ", ".join(f"{found[n]} problems with {n} plan{'s' * (n > 1)}" for n in sorted(found))


if __name__ == "__main__":
    main()
