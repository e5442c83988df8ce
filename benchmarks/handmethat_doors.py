"""Requests of HandMeThat that help only by what the robot changes on its way, such as a door that it opens.

By section 3.2 a grounded subgoal is useful if the human's goal is nearer in the state in which the robot's
plan for it ends. That state has all that the plan has changed. Counted here: the requests of a dataset of
whose grounded subgoals none would be useful if only the thing itself had changed.

    python -m benchmarks.handmethat_doors DATASET [--episodes 200] [--save] [--json FILE]
"""

from __future__ import annotations

import time
from collections import Counter

from benchmarks.command import benchmark_parser, given_path, keep
from benchmarks.results import Figure, Report
from chorewright.generator.handmethat.evaluation import tasks_at
from chorewright.problems.handmethat.scene import HUMAN
from chorewright.problems.handmethat.states import scene_at, state_of
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.rsa.handmethat.landings import Landings
from chorewright.rsa.handmethat.meanings import Grounding
from chorewright.rsa.handmethat.subgoals import COSTS, Subgoals, formula_of

_MOST = 3
"""So many grounded subgoals of a request are looked at; they are alike to the human as a rule."""


def helps_by_itself(task: HandMeThatTask, subgoals: Subgoals, grounding: Grounding) -> bool:
    """Return whether the goal would be nearer if nothing had changed but the thing that is asked for."""
    quest = task.meaning.quest
    landing = Landings(task.scene).of(formula_of(subgoals.context, quest, grounding))
    if landing is None:
        return False
    own = {grounding[0], HUMAN}
    removed = frozenset(atom for atom in landing.removed if own.intersection(atom[1:]))
    added = frozenset(atom for atom in landing.added if own.intersection(atom[1:]))
    if (removed, added) == (landing.removed, landing.added):
        return True  # nothing else has changed, and what is meant helps
    after = scene_at(task.scene, (state_of(task.scene) - removed) | added)
    return Subgoals(after, task.goal, subgoals.effort).before.cost < subgoals.before.cost


def main() -> None:
    """Print the share of such requests, by type."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("dataset", type=given_path)
    parser.add_argument("--episodes", type=int, default=200)
    parser.add_argument("--costs", choices=sorted(COSTS), default="optimal")
    arguments = parser.parse_args()
    seen: Counter[str] = Counter()
    odd: Counter[str] = Counter()
    useful: Counter[str] = Counter()
    began = time.process_time()
    tasks = tasks_at(arguments.dataset)
    for number in range(min(arguments.episodes, len(tasks))):
        task = tasks[number]
        quest = task.meaning.quest.value
        seen[quest] += 1
        subgoals = Subgoals(task.scene, task.goal, COSTS[arguments.costs])
        if not any(helps_by_itself(task, subgoals, each) for each in task.groundings[:_MOST]):
            odd[quest] += 1
            useful[quest] += len(task.useful)
            print(f"episode {task.name}: {task.sentence} (A(G) {len(task.useful)})", flush=True)
    for quest, count in sorted(seen.items()):
        mean = f", A(G) of these {useful[quest] / odd[quest]:.0f} on average" if odd[quest] else ""
        print(f"{quest}: {odd[quest]} of {count} ({100 * odd[quest] / count:.1f} %){mean}")
    total = f"{odd.total()} of {seen.total()} ({100 * odd.total() / max(1, seen.total()):.1f} %)"
    print(f"all: {total}; {time.process_time() - began:.0f} s of processor time")
    figures = [
        Figure(quest.replace("_", "-"), f"of type {quest}", odd[quest], of=count)
        for quest, count in sorted(seen.items())
    ]
    keep(
        arguments,
        Report(
            name="handmethat_doors",
            group="HandMeThat",
            title="HandMeThat's requests that help by what the robot changes on its way",
            explanation="Requests of a dataset of whose grounded subgoals none would be useful if only the thing "
            "itself had changed.",
            figures=(Figure("all", "of all requests", odd.total(), of=max(1, seen.total())), *figures),
        ),
    )


if __name__ == "__main__":
    main()
