"""Objects that may stand between a camera and an object, judged by the balls around their drawn boxes."""

from __future__ import annotations

import numpy as np

from chorewright.problems.household.scene import Scene, SceneObject
from chorewright.replay.drawing.solids import Float
from chorewright.replay.household.pixels.camera import Camera
from chorewright.replay.household.pixels.drawing import HIGHEST_LIFT
from chorewright.replay.household.pixels.walls import COUNTER

SLACK = 0.05
"""Metres by which knobs and handles stick out of their boxes."""

MOST_KEPT = 4096
"""Objects whose radius is kept."""


class Obstruction:
    """Finds what may hide an object; keeps how far from their middles things can be drawn."""

    def __init__(self) -> None:
        self._radii: dict[str, tuple[SceneObject, float]] = {}
        self._objects: tuple[SceneObject, ...] = ()
        self._balls: tuple[Float, Float] = (np.empty(0), np.empty((0, 3)))

    def of(self, scene: Scene, camera: Camera, target: SceneObject) -> frozenset[str]:
        """Return the object, and those of which something may be drawn in front of it.

        Doors swing out of their boxes, drawers slide out and take along what lies in them, things are drawn as
        high as what they lie on.
        """
        if self._objects is not scene.objects:
            middles = np.array([body.centre for body in scene.objects])
            self._objects, self._balls = scene.objects, (np.array(self._of_all(scene)), middles)
        radii, middles = self._balls
        away = middles - np.array(camera.position)
        far = np.sqrt((away * away).sum(axis=1))
        place = next(k for k, body in enumerate(scene.objects) if body is target)
        nearer = far - radii <= far[place] + radii[place]
        between = np.arccos(np.clip((away * away[place]).sum(axis=1) / np.maximum(far * far[place], 1e-9), -1.0, 1.0))
        wide = np.arcsin(np.minimum(radii / np.maximum(far, 1e-9), 1.0))
        overlaps = (between <= wide + wide[place] + 1e-6) | (far <= radii) | (far[place] <= radii[place])
        found = {scene.objects[number].object_id for number in np.flatnonzero(nearer & overlaps).tolist()}
        found.update(body.object_id for body in scene.objects if body.kind == COUNTER)
        return frozenset((*found, target.object_id))

    def _of_all(self, scene: Scene) -> list[float]:
        """Return the radii of all objects; what changes hands is another value, so the old ones hold for the same."""
        bodies: dict[str, SceneObject] = {}
        found = []
        if len(self._radii) > MOST_KEPT:
            self._radii.clear()
        for body in scene.objects:
            known = self._radii.get(body.object_id)
            if known is None or known[0] is not body:
                bodies = bodies or {each.object_id: each for each in scene.objects}
                known = self._radii[body.object_id] = (body, _radius(body, bodies))
            found.append(known[1])
        return found


def _radius(body: SceneObject, bodies: dict[str, SceneObject]) -> float:
    """Return how far from the middle of its box anything of an object can be drawn."""
    width, height, depth = body.size
    radius = (width * width + height * height + depth * depth) ** 0.5 / 2 + SLACK
    if "openable" in body.traits.affordances:
        radius += max(width, depth)
    for name in _holders(body, bodies):
        holder, radius = bodies[name], radius + HIGHEST_LIFT
        if "openable" in holder.traits.affordances:
            radius += max(holder.size[0], holder.size[2])
    return float(radius)


def _holders(body: SceneObject, bodies: dict[str, SceneObject]) -> list[str]:
    """Return what holds an object, and what holds that, and so on."""
    found: list[str] = []
    queue = list(body.parents)
    while queue:
        name = queue.pop()
        if name in bodies and name not in found:
            found.append(name)
            queue.extend(bodies[name].parents)
    return found
