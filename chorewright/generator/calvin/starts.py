"""Where episodes of the table begin and what is done there: any state of the table, the hand's place, play.

Single tasks begin in any state of the table in which they can be done; play is a long walk over tasks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chorewright.problems.calvin.scenes import YAWS, TabletopScene, TabletopState, initial_states
from chorewright.problems.calvin.tasks import TaskTransitions, state_of_atoms, task_model, tasks, transitions
from chorewright.replay.calvin import arm

Float = NDArray[np.float64]
Start = tuple[Float, Float]
"""``robot_obs`` and ``scene_obs`` that a world is set to."""

NEAR_SPOTS = 0.05
"""Blocks that are scattered no farther stay apart; beyond it, places are drawn until they are."""
FRONT, BACK, ASIDE = -0.17, -0.08, 0.19
"""Where far scattered blocks may lie on the table, in metres: y, and x from the middle of the usual spots."""
APART, OFF_BUTTON = 0.1, 0.1
"""Metres between the middles of far scattered blocks, and between these and the button."""
DRAWER_HEIGHT = 0.3623
"""Where the middle of a block in the drawer is."""
DRAWS = 200
HIGHEST, LOWEST = 0.68, 0.52
"""Metres between which the tool starts."""
TURN = 3.0
"""Radians by which the hand may be turned at the start for each metre that it may be away."""


def scatter(start: Start, metres: float, scene: TabletopScene, rng: np.random.Generator) -> Start:
    """Move blocks on the table by up to so many metres to each side, and turn all blocks anew."""
    robot, table = start
    if not metres:
        return start
    table = table.copy()
    loose, far = _on_table(table, scene), metres > NEAR_SPOTS
    moves, yaws = rng.uniform(-metres, metres, (3, 2)), rng.uniform(*((-math.pi, math.pi) if far else YAWS), 3)
    for _ in range(DRAWS if far else 0):
        if _fits(table, loose, moves, scene):
            break
        moves = rng.uniform(-metres, metres, (3, 2))
    for number in range(3):
        leader = loose.get(number)
        if leader is not None:
            table[6 + 6 * number : 8 + 6 * number] += moves[leader]
        if leader is not None or not far:
            table[6 + 6 * number + 5] = yaws[number if leader is None else leader]
    return robot, table


def settle(start: Start, scene: TabletopScene) -> Start:
    """Lay blocks in the drawer on its bottom: where they would fall, nothing touches them in the first frame."""
    robot, table = start
    table = table.copy()
    heights = table[8::6]
    heights[heights < scene.table_top] = DRAWER_HEIGHT
    return robot, table


def _on_table(table: Float, scene: TabletopScene) -> dict[int, int]:
    """Return the numbers of the blocks in front of the compartments and above the table's top, each with that of the
    first block at its place: a stack moves as one."""
    places = [tuple(table[6 + 6 * number : 8 + 6 * number]) for number in range(3)]
    above = [number for number in range(3) if places[number][1] < 0 and table[8 + 6 * number] > scene.table_top]
    return {number: places.index(places[number]) for number in above}


def _fits(table: Float, loose: Mapping[int, int], moves: Float, scene: TabletopScene) -> bool:
    """Whether blocks that are moved so lie on the table, apart from one another and from the button."""
    places = [table[6 + 6 * number : 8 + 6 * number] + moves[number] for number in sorted(set(loose.values()))]
    middle = sum(x for x, _, _ in scene.table_spots) / len(scene.table_spots)
    button = scene.joints["base__button"].origin[:2]
    inside = all(abs(x - middle) <= ASIDE and FRONT <= y <= BACK for x, y in places)
    clear = all(math.dist(place, button) > OFF_BUTTON for place in places)
    pairs = ((one, two) for at, one in enumerate(places) for two in places[:at])
    return inside and clear and all(math.dist(one, two) > APART for one, two in pairs)


def move_hand(start: Start, metres: float, scene: TabletopScene, rng: np.random.Generator) -> Start:
    """Start the hand up to so many metres from its place to each side, turned, within the arm's reach."""
    robot, table = start
    if not metres:
        return start
    joints = np.array(robot[7:14])
    position, rotation = arm.tool_pose(joints)
    position = position + rng.uniform(-metres, metres, 3)
    position[2] = min(HIGHEST, max(LOWEST, position[2]))
    angles = arm.euler_from_rotation(rotation) + np.array([0.0, 0.0, TURN * float(rng.uniform(-metres, metres))])
    wanted = (position, arm.rotation_from_euler(angles))
    joints = arm.joints_for(wanted, arm.joints_for(wanted, joints, scene.robot_obs[7:14]), scene.robot_obs[7:14])
    position, rotation = arm.tool_pose(joints)
    robot = robot.copy()
    robot[:3], robot[3:6], robot[7:14] = position, arm.euler_from_rotation(rotation), joints
    return robot, table


@dataclass(frozen=True, slots=True)
class SingleStart:
    """A state in which nothing is held, and what is done from it: a task, after a lift if it needs a held block."""

    state: TabletopState
    chain: tuple[str, ...]


class StartSpace:
    """All states that tasks lead to from those of the evaluation, and what can be done from them."""

    def __init__(self) -> None:
        """Find the states."""
        self._known: TaskTransitions = transitions(task_model(), initial_states())
        self._states = [state_of_atoms(atoms) for atoms in self._known.states]
        self._names = list(tasks())
        self._singles = {task: tuple(self._ways(place)) for place, task in enumerate(self._names)}

    def singles(self, task: str) -> tuple[SingleStart, ...]:
        """Return all ways to begin a task, in the order in which states are reached."""
        return self._singles[task]

    def draw(self, task: str, state: TabletopState, rng: np.random.Generator) -> tuple[str, ...]:
        """Return one of the ways to begin a task in a state."""
        ways = [each.chain for each in self._singles[task] if each.state == state]
        return ways[int(rng.integers(len(ways)))]

    def states(self, task: str) -> tuple[TabletopState, ...]:
        """Return the states from which a task can be begun, each once."""
        return tuple(dict.fromkeys(each.state for each in self._singles[task]))

    def _ways(self, place: int) -> Iterator[SingleStart]:
        after, free = self._known.after, [number for number, each in enumerate(self._states) if not each.grasped]
        can, task = after[:, place] >= 0, self._names[place]
        if any(can[free]):
            yield from (SingleStart(self._states[number], (task,)) for number in free if can[number])
            return
        for number in free:
            for lift in np.flatnonzero(after[number] >= 0).tolist():
                if can[after[number, lift]]:
                    yield SingleStart(self._states[number], (self._names[lift], task))

    def walk(self, state: TabletopState, length: int, rng: np.random.Generator) -> tuple[str, ...]:
        """Return so many tasks in a row, as in play: again and again a task is drawn, and a shortest way to it.

        So tasks that few states allow are done, too. Nothing puts a block back on the table but ``unstack_block``: in
        long walks the tasks of the drawer and the compartments prevail.
        """
        now, found = self._states.index(state), list[int]()
        while len(found) < length:
            for place in self._way(now, int(rng.integers(len(self._names))), rng):
                found.append(place)
                now = int(self._known.after[now, place])
        return tuple(self._names[place] for place in found[:length])

    def _way(self, start: int, wanted: int, rng: np.random.Generator) -> list[int]:
        """Return the tasks of a shortest way that ends with a task, itself among them, drawn among equals.

        There are none if there is no way.
        """
        came: dict[int, tuple[int, int] | None] = {start: None}
        waiting = [start]
        for state in waiting:  # grows while it is gone through
            if self._known.after[state, wanted] >= 0:
                way = [wanted]
                while (before := came[state]) is not None:
                    state, place = before
                    way.append(place)
                return way[::-1]
            for place in rng.permutation(self._known.after.shape[1]).tolist():
                after = int(self._known.after[state, place])
                if after >= 0 and after not in came:
                    came[after] = (state, place)
                    waiting.append(after)
        return []
