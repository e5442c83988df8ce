"""A trial of a TEACh task: compiled, planned, replayed and checked in several rooms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chorewright.domains.tdl.definitions import Definitions, shipped_definitions
from chorewright.errors import UsageError
from chorewright.generator.household.demonstration import Rejection
from chorewright.generator.household.trial import Attempt, TrialReport
from chorewright.generator.teach.compiling import compile_teach, goal_of, suited_rooms
from chorewright.generator.teach.demonstration import demonstrate_teach
from chorewright.planner.plan import Limits
from chorewright.problems.thor.spawn import NoRoom

LIMITS = Limits(evaluations=300_000)


def try_teach(
    name: str, params: Sequence[str], rooms: int, seed: int, definitions: Definitions | None = None
) -> TrialReport:
    """Run a task in up to ``rooms`` of the rooms that suit it, spread evenly.

    An attempt succeeds if every step of the plan does in the THOR world and the progress check at the end.

    Raises:
        InputError: The definition has errors.
        UsageError: There is no such task, a parameter makes no sense, or no room suits it.
    """
    known = definitions or shipped_definitions()
    task = known.task(name, params)
    goal_of(task)
    suited = suited_rooms(task)
    if not suited:
        raise UsageError(f"no room has what {task.name} needs")
    count = min(rooms, len(suited))
    rng = np.random.Generator(np.random.PCG64(seed))
    attempts = []
    for number in range(count):
        room = suited[number * len(suited) // count]
        actions = steps = 0
        try:
            compiled = compile_teach(name, params, room, int(rng.integers(2**31)), definitions=known)
            found = demonstrate_teach(compiled, LIMITS)
        except (NoRoom, UsageError) as error:
            reason = f"spawn: {error.message}"
        else:
            reason = str(found) if isinstance(found, Rejection) else ""
            if not isinstance(found, Rejection):
                actions, steps = len(found.plan.actions), len(found.actions)
        attempts.append(Attempt(room, (), reason, actions, steps, task.desc))
    return TrialReport(f"teach/{task.name}", len(suited), 1, tuple(attempts))
