"""The triangles of a scene's objects, kept for as long as neither an object nor what holds it has changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from chorewright.problems.household.houses.building import Building
from chorewright.problems.household.scene import Point, Scene, SceneObject, Vector
from chorewright.replay.drawing.solids import Float
from chorewright.replay.household.pixels.drawing import Mesh, Outline, agent_mesh, lift, slide
from chorewright.replay.household.pixels.walls import COUNTER, Surroundings, surroundings

OutlineT = TypeVar("OutlineT", bound=Outline)

WALLS, STOVE = "Walls", "Stove"
"""The instances of what is no object: walls with ceiling, and the body below the burners."""

Make = Callable[[SceneObject, str, Float, Vector], OutlineT | None]
"""Makes an object's triangles from the object, the room's name, where one can stand, and a shift in metres."""


@dataclass(frozen=True, slots=True, eq=False)
class Kept(Generic[OutlineT]):
    """An object's triangles, and what they depend on."""

    body: SceneObject
    holder: Kept[OutlineT] | None
    shift: Vector
    mesh: OutlineT | Mesh | None


@dataclass(frozen=True, slots=True, eq=False)
class KeptRoom(Generic[OutlineT]):
    """What is kept of a room while pictures of others are made."""

    grid: tuple[Point, ...]
    building: Building | None
    around: Surroundings
    fixtures: dict[str, Kept[OutlineT]]

    def is_of(self, scene: Scene) -> bool:
        """Whether a scene is of this room: it shares the grid, as an object, and the building."""
        return self.grid is scene.grid and (self.building is scene.building or self.building == scene.building)


class KeptMeshes(Generic[OutlineT]):
    """Makes the triangles of a room's objects, and keeps them for the next picture."""

    def __init__(self, make: Make[OutlineT], rooms: int = 1) -> None:
        """Keep what ``make`` makes, and of so many rooms the fixtures; of houses only the last one's."""
        self._make = make
        self._most = rooms
        self._kept: dict[str, Kept[OutlineT]] = {}
        self._room = ""
        self._rooms: dict[str, KeptRoom[OutlineT]] = {}
        self._numbered: tuple[SceneObject, ...] = ()
        self._numbers: dict[str, int] = {}

    def around(self, scene: Scene) -> Surroundings:
        """Return what of the scene's room stays as it is; of another room than before, forget the items."""
        room = self._rooms.get(scene.name)
        if room is not None and not room.is_of(scene):
            room = None
            del self._rooms[scene.name]
        if room is None or scene.name != self._room:
            self._leave()
            room = room or KeptRoom(scene.grid, scene.building, surroundings(scene), {})
            self._rooms[scene.name] = room
            self._room, self._kept = scene.name, dict(room.fixtures)
        return room.around

    def _leave(self) -> None:
        """Keep the fixtures of the last room, if it is one that may be seen again."""
        left = self._rooms.get(self._room)
        if left is not None and left.building is None:
            left.fixtures.update((name, kept) for name, kept in self._kept.items() if not kept.body.traits.item)
        elif left is not None:
            del self._rooms[self._room]
        while len(self._rooms) >= self._most:
            del self._rooms[next(iter(self._rooms))]

    def everything(self, scene: Scene, only: frozenset[str] | None = None) -> list[tuple[str, OutlineT | Mesh]]:
        """Return all triangles of a scene by what they are of: its objects, or some of them, its walls and agents."""
        around = self.around(scene)
        found = [*self.meshes(scene, only), (WALLS, around.walls)]
        found += [] if around.stove is None else [(STOVE, around.stove)]
        return [*found, *((each.name, agent_mesh(each, scene.agent_y)) for each in scene.bystanders)]

    def meshes(self, scene: Scene, only: frozenset[str] | None) -> list[tuple[str, OutlineT | Mesh]]:
        """Return the triangles of a scene's objects that can be seen, or of some of them and what holds them."""
        around = self.around(scene)
        kept: dict[str, Kept[OutlineT]] = {}
        for body in self._parents_first(scene, only):
            self._keep(body, scene, kept, around)
        if only is None:
            self._kept = kept
        else:
            self._kept.update(kept)
        return [
            (name, mesh)
            for name in (self._places(scene) if only is None else sorted(kept, key=self._places(scene).__getitem__))
            if name in kept and (mesh := kept[name].mesh) is not None
        ]

    def _places(self, scene: Scene) -> dict[str, int]:
        """Return the number of each object in a scene, by id."""
        if self._numbered is not scene.objects:
            self._numbered = scene.objects
            self._numbers = {body.object_id: number for number, body in enumerate(scene.objects)}
        return self._numbers

    def _parents_first(self, scene: Scene, only: frozenset[str] | None) -> list[SceneObject]:
        """Return the objects that can be seen at all, or some and what holds them, each after what holds it."""
        places = self._places(scene)
        order: dict[str, SceneObject] = {}

        def add(body: SceneObject, depth: int) -> None:
            if body.object_id in order or depth > len(places):
                return
            for name in body.parents:
                if name in places:
                    add(scene.objects[places[name]], depth + 1)
            order[body.object_id] = body

        chosen = places.values() if only is None else sorted(places[name] for name in only)
        for body in (scene.objects[number] for number in chosen):
            if not body.is_consumed:
                add(body, 0)
        return list(order.values())

    def _keep(self, body: SceneObject, scene: Scene, kept: dict[str, Kept[OutlineT]], around: Surroundings) -> None:
        """Make an object's triangles, or take the old ones if neither it nor what holds it has changed."""
        holder = next((kept[name] for name in body.parents if name in kept), None)
        known = self._kept.get(body.object_id)
        if known is not None and known.body is body and known.holder is holder:
            kept[body.object_id] = known
            return
        shift: Vector = (0.0, 0.0, 0.0)
        if holder is not None:
            x, y, z = holder.shift
            out = slide(holder.body, around.free)
            shift = (x + out[0], y, z + out[1])
            if holder.mesh is not None and holder.body.kind != "Floor" and body.traits.item:
                shift = (shift[0], y + lift(body, shift, holder.mesh), shift[2])
        mesh: OutlineT | Mesh | None
        if body.kind == COUNTER:
            mesh = around.counters[body.object_id]
        elif body.kind == "Floor":
            mesh = around.floors[body.object_id]
        else:
            mesh = self._make(_draw(body, around), scene.name, around.free, shift)
        kept[body.object_id] = Kept(body, holder, shift, mesh)


def _draw(body: SceneObject, around: Surroundings) -> SceneObject:
    """Return an object with the box that it is drawn in."""
    box = around.boxes.get(body.object_id)
    return body if box is None else replace(body, centre=box.centre, size=box.size)
