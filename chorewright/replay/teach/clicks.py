"""Where TEACh's players click: a pixel that its wrapper takes for the object that is meant, near enough to act on.

The wrapper (Padmakumar et al. 2022, section 3) looks up what its picture of 900 x 900 shows at the pixel, and
refuses what is more than 1.5 m from the agent there. What is placed comes to lie near the point that is clicked.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import hypot

import numpy as np
from numpy.typing import NDArray

from chorewright.problems.household.scene import Scene, Vector
from chorewright.replay.household.handling import NEARLY
from chorewright.replay.household.pixels.camera import Camera, agent_camera, click_on, inner_part
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.placing import free_place
from chorewright.replay.household.pointing import PATCH, clicked_object, point_at
from chorewright.replay.simulator import Frame
from chorewright.replay.teach.world import PLACE, TeachWorld

SIZE = 900
"""Pixels on a side of TEACh's pictures."""

COARSE = 300
"""Pixels on a side of the picture in which clicks are chosen: each shows what its middle pixel of TEACh's does."""

SMALLEST = 14
"""Pixels of the coarse picture that must be seen of an object: the smallest mask in ALFRED's data."""

REACH = 1.5
"""Metres from the agent's pivot to the point that is clicked."""

EASE = 0.01
"""Metres short of it within which clicks are."""

APART = 20
"""Pixels of the coarse picture between places where one may click in vain."""

INSIDE = 0.25
"""Where in its pixel a click is, so that rounding and cutting off give the same pixel."""


@dataclass(frozen=True, slots=True)
class Click:
    """A click.

    Attributes:
        x: Where in the picture, from the left; 0 to less than 1.
        y: The same from the top.
        near: Of Place, the point that is seen there, if the thing would come to lie elsewhere by itself.
    """

    x: float
    y: float
    near: Vector | None = None

    @property
    def near_point(self) -> dict[str, float] | None:
        """``near`` as AI2-THOR writes points."""
        return None if self.near is None else dict(zip("xyz", self.near, strict=True))


class Clicker:
    """Finds clicks in the pictures of a world."""

    def __init__(self, world: TeachWorld, renderer: Renderer | None = None) -> None:
        self.world = world
        self._renderer = renderer or Renderer()

    def click(self, action: str, target: str) -> Click | str:
        """Return where to click for an action on an object, or why it cannot be clicked.

        The click is in the middle of what is seen in reach; for Place, as near as can be to where the thing would
        come to lie by itself.
        """
        room = self.world.world.room
        camera, scene = agent_camera(room, COARSE), self.world.scene()
        mask, depths = self._renderer.masks.with_depths(scene, camera, target)
        if depths.size < SMALLEST:
            return "the agent does not see it"
        points = _points(mask, depths, camera)
        metres = _metres(points, room.place())
        near = metres <= REACH - EASE
        if not near.any():
            return f"what the agent sees of it is {float(metres.min()):.2f} m away"
        reached = mask.copy()
        reached[mask] = near
        reached = self._settled(reached, scene, target)
        if not reached.any():
            return "the agent does not see it for certain"
        near = reached[mask]
        held, receptacle = room.objects.get(room.holding or ""), room.objects.get(target)
        place = free_place(room, held, receptacle, True) if action == PLACE and held and receptacle else None
        if place is None:
            x, y = click_on(reached) or (0.0, 0.0)
            return _click(int(y * COARSE), int(x * COARSE))
        row, column, point = _nearest(reached, points[near], place)
        if hypot(point[0] - place[0], point[2] - place[2]) <= NEARLY - EASE:
            return _click(row, column)
        found = _click(row, column)
        fine = agent_camera(room, SIZE)
        return Click(found.x, found.y, point_at(self._frame(fine), fine, (int(found.y * SIZE), int(found.x * SIZE))))

    def fail(self, action: str, target: str) -> Click | str:
        """Return where to click for an action that cannot be done to an object; or why there is no such place.

        It is on the object if that is seen, however far it is; otherwise where nothing is that this can be done to, as
        near to the middle of the picture as can be.
        """
        room = self.world.world.room
        mask, depths = self._renderer.masks.with_depths(self.world.scene(), agent_camera(room, COARSE), target)
        if depths.size >= SMALLEST:
            x, y = click_on(self._settled(mask, self.world.scene(), target)) or (0.0, 0.0)
            return _click(int(y * COARSE), int(x * COARSE)) if x else "the agent does not see it for certain"
        frame, fits = self._frame(agent_camera(room, SIZE)), self.world.target(action)
        assert fits is not None
        middle = COARSE // 2
        places = [middle + side * step for step in range(0, middle, APART) for side in (1, -1)]
        for row, column in sorted(product(places, places), key=lambda each: hypot(each[0] - middle, each[1] - middle)):
            found = _click(row, column)
            if clicked_object(room, frame, found.x, found.y, fits, 2 * PATCH) is None:
                return found
        return "something else is taken for it wherever one clicks"

    def _settled(self, mask: NDArray[np.bool_], scene: Scene, target: str) -> NDArray[np.bool_]:
        """Return the pixels of a coarse mask at which TEACh's picture shows the object, too; if it can be, all nine.

        Where two things share a face, as pieces of one loaf do, which of them is seen there is left to rounding.
        """
        fine, _ = self._renderer.masks.with_depths(scene, agent_camera(self.world.world.room, SIZE), target)
        step = SIZE // COARSE
        patches = [fine[row::step, column::step] for row in range(step) for column in range(step)]
        whole = np.logical_and.reduce([mask, *patches])
        return np.asarray(whole if whole.any() else mask & fine[step // 2 :: step, step // 2 :: step])

    def _frame(self, camera: Camera) -> Frame:
        return self._renderer.frame(self.world.scene(), camera)


def within_reach(
    mask: NDArray[np.bool_], depths: NDArray[np.float32], camera: Camera, place: Vector
) -> NDArray[np.bool_]:
    """Return which pixels of a coarse mask can be clicked on from a place; none if too few are seen.

    Args:
        mask: The pixels.
        depths: Their depths in metres, row by row.
        camera: What they are seen with.
        place: The agent's pivot, in metres.
    """
    if depths.size < SMALLEST:
        return np.zeros(depths.size, np.bool_)
    return np.asarray(_metres(_points(mask, depths, camera), place) <= REACH - EASE)


def _metres(points: NDArray[np.float64], place: Vector) -> NDArray[np.float64]:
    return np.asarray(np.linalg.norm(points - np.array(place), axis=-1))


def _click(row: int, column: int) -> Click:
    """Return the click on a pixel of the coarse picture: the middle one of TEACh's pixels there."""
    step = SIZE // COARSE
    x, y = (round((place * step + step // 2 + INSIDE) / SIZE, 4) for place in (column, row))
    return Click(x, y)


def _points(mask: NDArray[np.bool_], depths: NDArray[np.float32], camera: Camera) -> NDArray[np.float64]:
    """Return the points in the room that are seen at a mask's pixels, (pixels, 3) metres."""
    right, up, forward = camera.axes()
    rows, columns = np.nonzero(mask)
    across = (columns + 0.5 - camera.width / 2) / camera.focal_length
    above = (camera.height / 2 - rows - 0.5) / camera.focal_length
    rays = forward + across[:, None] * right + above[:, None] * up
    return np.asarray(np.array(camera.position) + depths[:, None] * rays)


def _nearest(
    mask: NDArray[np.bool_], points: NDArray[np.float64], place: Vector
) -> tuple[int, int, NDArray[np.float64]]:
    """Return the pixel of a mask, not at its edge if it can be, whose point is nearest to a place on the floor plan.

    Args:
        mask: The pixels.
        points: Their points in the room, row by row.
        place: The place.

    Returns:
        Row, column and point.
    """
    inner = inner_part(mask)
    rows, columns = np.nonzero(inner)
    seen = points[inner[mask]]
    apart = np.round(np.hypot(seen[:, 0] - place[0], seen[:, 2] - place[2]), 6)
    best = int(np.argmin(apart))
    return int(rows[best]), int(columns[best]), seen[best]
