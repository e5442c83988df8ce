"""A Follower that does what it is told: it walks by its map, acts on what it sees, says what went wrong."""

from __future__ import annotations

from chorewright.generator.teach.orders import WALK, Order, understand, words
from chorewright.generator.teach.tatc import FollowerView, Sight
from chorewright.problems.household.scene import Pose
from chorewright.replay.teach.lowering import MOVE_NAMES, with_side_steps

LOWEST, HIGHEST = 60, -30
"""How far the camera tilts down and up, in degrees."""


class OrderFollower:
    """Understands the orders of ``teach_orders`` and nothing else."""

    def greet(self) -> str:
        """Return its first words."""
        return words().hello

    def reply(self, view: FollowerView, heard: str) -> str:
        """Do what was said, up to the first order that cannot be done, and say how that went."""
        orders = understand(heard)
        if orders is None:
            return words().puzzled
        for order in orders:
            trouble = self._walk(view, order.pose) if order.pose is not None else self._do(view, order)
            if trouble:
                return trouble
        return words().done

    def _walk(self, view: FollowerView, goal: Pose) -> str:
        """Walk to a pose by the map."""
        grid, _ = view.map
        route = grid.route(view.look().pose, goal)
        if route is None:
            return words().failed.format(action=WALK, object=f"({goal.x}, {goal.z})", why="there is no way.")
        for step in with_side_steps([MOVE_NAMES[step] for step in route]):
            sight = view.act(step)
            if not sight.success:
                place = f"({goal.x}, {goal.z})"
                return words().failed.format(action=WALK, object=place, why=sight.message)
        return ""

    def _do(self, view: FollowerView, order: Order) -> str:
        """Act on an object, which is looked for around if it is not in view."""
        sight = view.look()
        if order.object_id not in sight.visible and not self._find(view, order.object_id, sight):
            return words().lost.format(object=order.object_id)
        sight = view.act(order.action, order.object_id)
        if sight.success:
            return ""
        return words().failed.format(action=order.action, object=order.object_id, why=sight.message)

    def _find(self, view: FollowerView, object_id: str, sight: Sight) -> bool:
        """Look up, down and around for an object; return whether it came into view."""
        for turn in range(4):
            for look in _looks(view.look().pose.horizon):
                sight = view.act(look)
                if object_id in sight.visible:
                    return True
            if turn < 3:
                sight = view.act("Turn Right")
                if object_id in sight.visible:
                    return True
        return False


def _looks(horizon: int) -> list[str]:
    """Return looks that sweep from a tilt to the nearer end and on to the other."""
    down, up = (LOWEST - horizon) // 30, (horizon - HIGHEST) // 30
    if down <= up:
        return ["Look Down"] * down + ["Look Up"] * (down + up)
    return ["Look Up"] * up + ["Look Down"] * (down + up)
