"""A scene as TEACh's simulator wrapper reports it: AI2-THOR's object metadata with TEACh's own properties."""

from __future__ import annotations

from dataclasses import dataclass

from chorewright.domains.teach.world import ObjectWorld
from chorewright.problems.household.containment import Records, objects_metadata
from chorewright.problems.household.scene import Scene


@dataclass(frozen=True, slots=True)
class Memory:
    """What TEACh's wrapper remembers of actions and a scene does not tell.

    Attributes:
        used: What something was put on or into.
        arrived: What was put somewhere or cut from something, in order.
        poured: What was emptied by pouring.
    """

    used: tuple[str, ...] = ()
    arrived: tuple[str, ...] = ()
    poured: tuple[str, ...] = ()


NO_MEMORY = Memory()
"""Nothing has been done yet."""


def custom_metadata(scene: Scene, memory: Memory = NO_MEMORY) -> dict[str, dict[str, object]]:
    """Return TEACh's properties of each object, by object id, as its wrapper comes to set them.

    An object has a property from the first action on that sets it; only its classes are told from the start. The
    last parent is what an object was put on or into, null since it was picked up, and told of nothing that lies
    where it lay at the start.
    """
    placed: dict[str, list[str]] = {name: [] for name in memory.used}
    found: dict[str, dict[str, object]] = {}
    classes = scene.kinds.vocabulary.classes
    for thing in scene.objects:
        state = thing.attributes
        if thing.is_consumed:  # its pieces have its properties; the wrapper comes to note one again
            if state.is_cooked:
                found[thing.object_id] = {"simbotIsCooked": True}
            continue
        told: dict[str, object] = {"simbotObjectClass": list(classes.get(thing.kind, (thing.kind,)))}
        if state.cooked or state.is_cooked:
            told["simbotIsCooked"] = True
        if state.boiled:
            told["simbotIsBoiled"] = True
        if state.watered:
            told["simbotIsFilledWithWater"] = 1
        if state.brewed or thing.object_id in memory.poured:
            told["simbotIsFilledWithCoffee"] = state.brewed
        if state.handled:
            parent = thing.parents[0] if thing.parents else None
            told |= {"simbotPickedUp": 1, "simbotLastParentReceptacle": parent}
            if parent is not None:
                placed.setdefault(parent, []).append(thing.object_id)
        found[thing.object_id] = told
    order = {name: place for place, name in enumerate(memory.arrived)}
    for name, contents in placed.items():
        if name in found:
            found[name]["simbotIsReceptacleOf"] = sorted(contents, key=lambda each: order.get(each, -1))
    return found


def teach_metadata(scene: Scene, memory: Memory = NO_MEMORY, kept: Records | None = None) -> list[dict[str, object]]:
    """Return the scene's object metadata with AI2-THOR's and TEACh's properties; ``kept`` as ``objects_metadata``."""
    custom = custom_metadata(scene, memory)
    return [{**thing, **custom.get(str(thing["objectId"]), {})} for thing in objects_metadata(scene, kept)]


def teach_world(scene: Scene, kept: Records | None = None) -> ObjectWorld:
    """Return a scene as the progress check sees it; ``kept`` as ``objects_metadata``."""
    return ObjectWorld(tuple(teach_metadata(scene, NO_MEMORY, kept)))
