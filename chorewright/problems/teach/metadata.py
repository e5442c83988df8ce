"""A scene as TEACh's simulator wrapper reports it: AI2-THOR's object metadata with TEACh's own properties."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from chorewright.domains.tdl.properties import classes
from chorewright.domains.tdl.world import World, world_of
from chorewright.problems.thor.containment import contents
from chorewright.problems.thor.kinds import Kinds
from chorewright.problems.thor.object_metadata import objects_metadata
from chorewright.problems.thor.scene import Scene


@lru_cache(maxsize=4)
def _classes(kinds: Kinds) -> Mapping[str, tuple[str, ...]]:
    return classes(kinds.vocabulary)


def custom_metadata(scene: Scene) -> dict[str, dict[str, object]]:
    """Return TEACh's properties of each object, by object id; its wrapper forgets those of what has been sliced."""
    held = contents(scene.objects)
    found: dict[str, dict[str, object]] = {}
    for thing in scene.objects:
        if thing.consumed:
            continue
        state = thing.attributes
        found[thing.object_id] = {
            "simbotObjectClass": list(_classes(scene.kinds).get(thing.kind, (thing.kind,))),
            "simbotIsCooked": state.cooked or state.is_cooked,
            "simbotIsBoiled": state.boiled,
            "simbotIsFilledWithWater": state.watered,
            "simbotIsFilledWithCoffee": state.brewed,
            "simbotPickedUp": state.handled,
            "simbotLastParentReceptacle": thing.parents[0] if thing.parents else None,
            "simbotIsReceptacleOf": list(held.get(thing.object_id, ())),
        }
    return found


def teach_metadata(scene: Scene) -> list[dict[str, object]]:
    """Return the scene's object metadata with AI2-THOR's and TEACh's properties."""
    custom = custom_metadata(scene)
    return [{**thing, **custom.get(str(thing["objectId"]), {})} for thing in objects_metadata(scene)]


def teach_world(scene: Scene) -> World:
    """Return a scene as the progress check sees it."""
    return world_of(teach_metadata(scene))
