"""Cost-to-go of random-walk states: time per state and proofs.

    python -m benchmarks.cost_to_go [--states 200] [--problems p00S ...] [--compare N] [--fast-downward PYTHON]
                                    [--save] [--json FILE]

For each problem of the reference set, 200 states of random walks that begin along a plan are asked for, first
satisficing, then with proofs. With ``--compare N``, N of the costs that are proven to be at most 10 are
compared with Fast Downward's (``astar(lmcut())`` over the goal's branches, see ``branch_costs``); exit code 1
if one is not the same. Fast Downward is the wheel ``up-fast-downward`` of this interpreter, or of the one
given (``--fast-downward PYTHON``).
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path

import numpy as np

from benchmarks.branch_costs import branch_task, peer_cost
from benchmarks.command import benchmark_parser, keep
from benchmarks.corpora.reference import reference
from benchmarks.results import Figure, Report, Target, table
from chorewright.domains.formulas import Facts
from chorewright.domains.pddl import load_domain, load_problem
from chorewright.domains.pddl.syntax import Domain, Problem, State
from chorewright.planner.cost_to_go.costs_to_go import OPTIMAL, SATISFICING, Cost, CostToGo, Effort
from chorewright.planner.engines.processes import fast_downward_driver
from chorewright.planner.grounding.grounding import ground
from chorewright.planner.grounding.relevance import relevant_objects
from chorewright.planner.plan import Plan
from chorewright.planner.planning import solve
from chorewright.planner.search.start_states import SearchStart
from chorewright.planner.search.states import all_hold
from chorewright.planner.validation import PlanWorld

NEAR = 10
PEER_SECONDS = 60
MOST_WALKS = 20


@dataclass(frozen=True, slots=True)
class Row:
    """A problem's states: solved satisficing, of how many, in ms; proven near the goal, of how many, in ms."""

    problem: str
    solved: int
    states: int
    quick_ms: float
    proven: int
    near: int
    near_ms: float


def walk_states(domain: Domain, problem: Problem, count: int, seed: int) -> list[State]:
    """States of random walks over the actions that the relevant objects allow, off a plan for the goal.

    Each walk starts at a random state of the plan and takes up to 6 random actions. They are fewer than
    ``count`` where so many walks do not lead to more.
    """
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    world = PlanWorld.of(domain, problem)
    answer = solve(domain, problem)
    assert isinstance(answer, Plan)
    along = [world.initial()]
    for step in answer.actions:
        along.append(world.apply(step, along[-1], Facts(along[-1])))
    keep = relevant_objects(domain, problem, 1)
    task = ground(domain, problem, keep)
    assert task is not None
    start = SearchStart.of(task)
    pre = task.precondition
    states: dict[State, None] = {}
    for _ in range(MOST_WALKS * count):
        if len(states) == count:
            break
        state = along[int(rng.integers(len(along)))]
        encoded = start.encode(state)
        for _ in range(int(rng.integers(0, 7))):
            usable = [o for o in range(task.operator_count) if all_hold(encoded, pre.items, *pre.start[o : o + 2])]
            if not usable:
                break
            operator = usable[int(rng.integers(len(usable)))]
            state = world.apply(task.action(operator), state, Facts(state))
            encoded = start.encode(state)
        states[state] = None
    return list(states)


def timed(service: CostToGo, states: list[State], effort: Effort) -> tuple[list[Cost], list[float]]:
    costs, seconds = [], []
    for state in states:
        begin = time.process_time()
        costs.append(service.cost(state, effort))
        seconds.append(time.process_time() - begin)
    return costs, seconds


def compared(
    service: CostToGo, task: tuple[Domain, Problem], chosen: Sequence[State], driver: Path, python: str
) -> tuple[int, int, int]:
    """How many costs are Fast Downward's, how many are not, and how many it does not find in time."""
    same = other = unknown = 0
    with tempfile.TemporaryDirectory() as name:
        for state in chosen:
            plan = service.plan(state, OPTIMAL)
            assert plan is not None
            given = branch_task(*task, state, plan)
            theirs = peer_cost(driver, python, Path(name), given, PEER_SECONDS)
            ours = service.cost(state, OPTIMAL).cost
            print(f"ours {ours:g}, Fast Downward's {theirs}", file=sys.stderr, flush=True)
            unknown += theirs is None
            same += theirs == ours
            other += theirs not in (None, ours)
    return same, other, unknown


def main() -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--states", type=int, default=200)
    parser.add_argument("--problems", nargs="*", default=[])
    parser.add_argument("--compare", type=int, default=0, metavar="N", help="with Fast Downward, N of each")
    parser.add_argument("--fast-downward", metavar="PYTHON", default=sys.executable)
    arguments = parser.parse_args()
    driver = fast_downward_driver(arguments.fast_downward) if arguments.compare else None
    if arguments.compare and driver is None:
        hint = "pip install 'chorewright[fast-downward]', or --fast-downward PYTHON"
        print(f"Fast Downward is not here ({hint}): nothing is compared with it", file=sys.stderr)
    wrong = 0
    folder = reference("planner/a")
    domain = load_domain(folder / "domain.pddl")
    near_all: list[Row] = []
    compared_all: list[tuple[int, int, int]] = []
    print("problem  ground s  for proofs s | ms/state  worst  solved | within 10: proven  ms/state  worst | proven")
    for path in sorted(folder.glob("p*.pddl")):
        if arguments.problems and path.stem not in arguments.problems:
            continue
        problem = load_problem(path, domain)
        states = walk_states(domain, problem, arguments.states, 1)
        CostToGo(domain, problem, states).cost(states[0])
        begin = time.process_time()
        service = CostToGo(domain, problem, states)
        service.cost(states[0], SATISFICING)
        grounding = time.process_time() - begin
        begin = time.process_time()
        service.cost(states[0], OPTIMAL)
        preparing = time.process_time() - begin
        quick, quick_seconds = timed(service, states[1:], SATISFICING)
        best, seconds = timed(service, states[1:], OPTIMAL)
        near = [i for i, cost in enumerate(best) if cost.lower_bound <= NEAR and cost.cost < inf]
        near = [i for i in near if best[i].cost <= NEAR or not best[i].optimal]
        proven = sum(best[i].optimal for i in near)
        near_ms = [1000 * seconds[i] for i in near] or [0.0]
        solved = sum(cost.cost < inf for cost in quick)
        print(
            f"{path.stem:8} {grounding:8.2f} {preparing:13.2f} |"
            f" {1000 * np.mean(quick_seconds):8.2f} {1000 * max(quick_seconds):6.1f}"
            f" {solved:4}/{len(quick)} |"
            f" {proven:8}/{len(near):<3} {np.mean(near_ms):8.2f} {max(near_ms):8.1f} |"
            f" {sum(c.optimal for c in best):4}/{len(best)}"
        )
        sys.stdout.flush()
        proofs = (proven, len(near), float(np.mean(near_ms)))
        near_all.append(Row(path.stem, solved, len(quick), 1000 * float(np.mean(quick_seconds)), *proofs))
        if driver is not None:
            sure = [states[1:][i] for i in near if best[i].optimal and best[i].cost > 0]
            sample = sure[:: max(1, len(sure) // arguments.compare)][: arguments.compare]
            same, other, unknown = compared(service, (domain, problem), sample, driver, arguments.fast_downward)
            wrong += other
            compared_all.append((same, other, unknown))
            print(f"{'':8} as Fast Downward: {same}; otherwise: {other}; not found by it: {unknown}", flush=True)
    keep(arguments, report(near_all, compared_all))
    sys.exit(wrong > 0)


def report(rows: Sequence[Row], peers: Sequence[tuple[int, int, int]]) -> Report:
    """Return the figures of all problems.

    Args:
        rows: A row for each problem.
        peers: For each that was compared: costs that are Fast Downward's, that are not, that it does not find.
    """
    proven, near = (sum(getattr(row, name) for row in rows) for name in ("proven", "near"))
    solved, asked = (sum(getattr(row, name) for row in rows) for name in ("solved", "states"))
    quick, slow = (max(getattr(row, name) for row in rows) for name in ("quick_ms", "near_ms"))
    figures = [
        Figure("solved", "states solved satisficing", solved, of=asked, target=Target("at least", 100)),
        Figure("satisficing_ms", "satisficing, a state, worst mean", quick, "ms", digits=1,
               target=Target("at most", 3)),
        Figure("near_proven", f"states within {NEAR} steps of the goal that are proven", proven, of=max(1, near),
               target=Target("at least", 100)),
        Figure("near_ms", f"proofs within {NEAR} steps, a state, worst mean", slow, "ms", digits=1,
               target=Target("at most", 20)),
    ]  # fmt: skip
    same, other, unknown = (sum(column) for column in zip(*peers, strict=True)) if peers else (0, 0, 0)
    if same + other:
        note = f"{unknown} more it does not find in {PEER_SECONDS} s"
        figures.append(Figure("equal", "proven costs that are Fast Downward's", same, of=same + other, note=note))
    cells = [
        (row.problem, f"{row.quick_ms:.2f}", f"{row.solved} of {row.states}", f"{row.proven} of {row.near}",
         f"{row.near_ms:.2f}") for row in rows
    ]  # fmt: skip
    return Report(
        name="cost_to_go_compared" if peers else "cost_to_go",
        group="Planner",
        title="Costs-to-go" + (" beside Fast Downward" if peers else ""),
        explanation="States of random walks off a plan, after grounding for all of them and, for proofs, finding "
        "invariants and abstractions; CPU milliseconds a state.",
        figures=tuple(figures),
        tables=(table(("problem", "satisficing ms", "solved", f"within {NEAR}: proven", "ms"), cells),),
    )


if __name__ == "__main__":
    main()
