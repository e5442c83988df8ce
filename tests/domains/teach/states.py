"""Random states of rooms, rich in what TEACh's tasks ask for, as scenes and as planning states."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from chorewright.domains.facts import Universe
from chorewright.domains.library import household_domain
from chorewright.domains.pddl.syntax import TRUE, Problem, State, Typed
from chorewright.problems.household.containment import is_receptacle
from chorewright.problems.household.rooms import load_room
from chorewright.problems.household.scene import Attributes, Scene, SceneObject
from chorewright.problems.household.state import state_of

TWICE = ("Plate", "Bowl", "Mug", "Bread", "Potato", "Candle", "Pen", "Fork", "SoapBar", "Book", "Laptop")


def random_scene(name: str, rng: np.random.Generator) -> Scene:
    """Return a room with its items in random states, sliced or whole, crowded on a few receptacles."""
    room = load_room(name)
    likely = rng.choice([0.3, 0.7, 0.95])
    objects: list[SceneObject] = []
    for thing in room.objects:
        for copy in range(2 if thing.kind in TWICE and rng.random() < 0.7 else 1):
            own = replace(thing, object_id=f"{thing.object_id}{'' if copy == 0 else '5'}")
            kind = thing.traits
            state = _attributes(rng, likely)
            if kind.piece is not None and rng.random() < 0.8:
                for k in range(1, int(rng.integers(2, 5))):
                    piece_id = f"{own.object_id}|{kind.piece}_{k}"
                    piece = replace(own, object_id=piece_id, kind=kind.piece, traits=room.kinds[kind.piece])
                    objects.append(replace(piece, attributes=_attributes(rng, likely)))
            else:
                objects.append(replace(own, attributes=state))
    hulls = {thing.object_id.rpartition("|")[0] for thing in objects}  # things go into a sink's basin
    places = [
        thing for thing in objects if is_receptacle(thing) and not thing.traits.item and thing.object_id not in hulls
    ]
    dishes = [thing for thing in objects if is_receptacle(thing) and thing.traits.item]
    few = [places[int(k)] for k in rng.integers(len(places), size=int(rng.integers(1, 5)))]
    dish = {each.object_id for each in dishes}
    moved = []
    for thing in objects:
        if thing.traits.item and rng.random() < 0.95:
            where = dishes if thing.object_id not in dish and dishes and rng.random() < 0.5 else few
            if where is dishes:
                where = dishes[: int(rng.integers(1, 4))]
            thing = replace(thing, parents=(where[int(rng.integers(len(where)))].object_id,))
        moved.append(thing)
    order = rng.permutation(len(moved))
    return replace(room, objects=tuple(moved[int(k)] for k in order), holding=None)


def _attributes(rng: np.random.Generator, likely: float) -> Attributes:
    def yes() -> bool:
        return bool(rng.random() < likely)

    cooked = yes()
    coffee = yes()
    filled = yes()
    return Attributes(
        is_open=yes(),
        is_toggled=yes(),
        is_dirty=not yes(),
        is_cooked=cooked and yes(),
        liquid=("coffee" if coffee else "water") if filled else None,
        cooked=cooked,
        boiled=yes(),
        watered=yes(),
        brewed=filled and coffee,
    )


def planning_state(scene: Scene) -> tuple[State, Universe]:
    """Return what holds in a scene, every known object with its name, and what there is."""
    names: dict[str, str] = {}
    objects = []
    for number, thing in enumerate(scene.objects):
        kind = thing.kind.lower()
        if thing.traits.affordances or thing.traits.receptacle:
            names[f"{kind}_{number}"] = thing.object_id
            objects.append(Typed(f"{kind}_{number}", (kind,)))
    problem = Problem("state", "household", tuple(objects), (), (), TRUE)
    return state_of(scene, names, upon=True), Universe.of(household_domain(), problem)
