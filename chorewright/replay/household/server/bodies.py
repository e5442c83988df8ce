"""Several agents in one room: each has a body with a hand; one of them acts at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from chorewright.problems.household.scene import GRID, Bystander, Point, Pose, Vector, points_around
from chorewright.replay.household.refusals import Arguments, Refusal, RefusalReason, number

if TYPE_CHECKING:
    from chorewright.replay.household.room import Room

NO_AGENT = RefusalReason("InvalidArgument", "There is no agent {what}: the last one is agent {last}.")

NEAREST = 0.5
"""Metres from the others within which no agent begins."""


@dataclass(frozen=True, slots=True)
class Body:
    """Where an agent stands and looks, and what it holds; units and meaning as in ``Room``."""

    x: float
    z: float
    rotation: float
    horizon: float
    standing: bool = True
    holding: str | None = None
    stretched: Vector = (0.0, 0.0, 0.0)


class AgentBodies:
    """The agents of a room by their numbers. The room is told who acts, and knows the others as bystanders."""

    def __init__(self, room: Room, count: int) -> None:
        """Let agents join the one that is there: each at the first standing point that is far enough from all.

        Raises:
            ValueError: The room has no place for so many.
        """
        self.room = room
        self.acting = 0
        self._bodies = [_body_of(room)]
        for _ in range(count - 1):
            point = next((each for each in room.origin.grid if self._free(each)), None)
            if point is None:
                raise ValueError(f"{room.origin.name} has no place for {count} agents")
            self._bodies.append(Body(*point, 0.0, 0.0))
        self.act(0)

    def __len__(self) -> int:
        return len(self._bodies)

    def choose(self, action: str, arguments: Arguments) -> bool:
        """Let the agent act that a call names as ``agentId``, else the first; return whether that is another.

        Raises:
            Refusal: There is no such agent.
        """
        wanted = number(arguments, "agentId", 0, action)
        if wanted not in range(len(self)):
            raise Refusal(NO_AGENT, what=f"{wanted:g}", last=len(self) - 1)
        other = wanted != self.acting
        self.act(int(wanted))
        return other

    def act(self, number: int) -> None:
        """Let an agent act from now on."""
        room = self.room
        if len(self._bodies) == 1:
            return
        self._bodies[self.acting] = _body_of(room)
        self.acting = number
        body = self._bodies[number]
        room.x, room.z, room.rotation, room.horizon = body.x, body.z, body.rotation, body.horizon
        holding = body.holding if body.holding in room.objects else None
        room.standing, room.holding, room.stretched = body.standing, holding, body.stretched
        others = [each for place, each in enumerate(self._bodies) if place != number]
        room.carried = frozenset(each.holding for each in others if each.holding in room.objects)
        room.walkable = room.grid - frozenset(point for each in others for point in points_around(each.x, each.z))
        room.bystanders = tuple(
            Bystander(f"agent_{place}", _pose(each)) for place, each in enumerate(self._bodies) if place != number
        )

    def _free(self, point: Point) -> bool:
        return all(
            abs(each.x - point[0]) * GRID >= NEAREST or abs(each.z - point[1]) * GRID >= NEAREST
            for each in self._bodies
        )


def _body_of(room: Room) -> Body:
    return Body(room.x, room.z, room.rotation, room.horizon, room.standing, room.holding, room.stretched)


def _pose(body: Body) -> Pose:
    return Pose(round(body.x), round(body.z), round(body.rotation / 90) % 4, round(body.horizon))
