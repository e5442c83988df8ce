"""ALFRED's goal conditions at the start of an episode: none may be met there.

ALFRED counts by object ids: a thing is of a class if its id has the class's name anywhere in it, so a butter knife
counts as a knife, a potato as a pot and a pencil as a pen; and a thing lies in all that is around it
(``env/tasks.py``, Shridhar et al. 2020).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from chorewright.generator.alfred.names import alfred_class, alfred_id, alfred_names, slots
from chorewright.problems.household.containment import ancestors, is_receptacle
from chorewright.problems.household.kinds import Kinds
from chorewright.problems.household.scene import Scene, SceneObject
from chorewright.problems.household.spawn import SpawnRequest

PLACED = (
    "pick_and_place_simple",
    "pick_two_obj_and_place",
    "pick_clean_then_place_in_recep",
    "pick_heat_then_place_in_recep",
    "pick_cool_then_place_in_recep",
)
"""ALFRED's tasks in which an object in a receptacle meets a condition."""

STACKED = "pick_and_place_with_movable_recep"
"""The task in which an object in a movable receptacle meets a condition, and that in a receptacle another one."""


def apart(request: SpawnRequest, kinds: Kinds) -> SpawnRequest:
    """Return a request in which what ALFRED takes for a kind starts where that kind may, and nowhere else.

    Args:
        request: What a spawn must provide.
        kinds: All kinds that there may be.
    """
    receptacles = [name for name, kind in kinds.items() if kind.receptacle]
    banned: dict[str, Collection[str]] = dict(request.banned)
    for wanted, places in request.banned.items():
        wider = tuple(name for name in receptacles if any(_is_like(name, place) for place in places))
        for name, kind in kinds.items():
            if kind.item and _is_like(name, wanted):
                banned[name] = tuple(dict.fromkeys((*banned.get(name, ()), *wider)))
    return replace(request, banned=banned)


def met_at_start(task: str, parameters: Sequence[tuple[str, str]], scene: Scene) -> str:
    """Return what meets one of ALFRED's conditions of a task in a scene; nothing if none is met.

    Args:
        task: One of ALFRED's seven task types, as ours or with its suffix for sliced objects; of another task
            nothing is known.
        parameters: The filled slots.
        scene: The start, where nothing is sliced, held, cleaned, heated or cooled.
    """
    told, filled = _Told.of(scene), slots(tuple(parameters), scene.kinds)
    kind = task.removesuffix(alfred_names().sliced_suffix)
    thing, movable, place = (alfred_class(filled.get(name, "")) for name in ("object", "movable", "receptacle"))
    if kind in PLACED and kind == task:
        return told.lying(thing, place, item=False)
    if kind == STACKED:
        inside = told.lying(thing, movable, item=True) if kind == task else ""
        return inside or told.lying(movable, place, item=False)
    return ""


@dataclass(frozen=True, slots=True)
class _Told:
    """Which items lie in which receptacles, however deep."""

    objects: Mapping[str, SceneObject]
    around: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, scene: Scene) -> _Told:
        parents = {body.object_id: body.parents for body in scene.objects}
        items = [body.object_id for body in scene.objects if body.traits.item]
        return cls({body.object_id: body for body in scene.objects}, {name: ancestors(name, parents) for name in items})

    def lying(self, thing: str, place: str, *, item: bool) -> str:
        """Return how an item of a class lies in a receptacle, or in an item, of another; nothing if none does."""
        if not thing or not place:
            return ""
        for name, outer in self.around.items():
            if thing not in alfred_id(name):
                continue
            for other in outer:
                body = self.objects[other]
                if place in alfred_id(other) and (body.traits.item if item else is_receptacle(body)):
                    return f"ALFRED takes {name} in {other} for a {thing} in a {place}"
        return ""


def _is_like(name: str, wanted: str) -> bool:
    """Return whether ALFRED takes all of a kind for another one."""
    return alfred_class(wanted) in alfred_class(name)
