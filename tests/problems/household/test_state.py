"""A scene as a state: what is told again after a change is what would be told anew."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from chorewright.domains.pddl.syntax import TRUE
from chorewright.problems.household.problem import household_problem
from chorewright.problems.household.rooms import load_room
from chorewright.problems.household.scene import Scene
from chorewright.problems.household.state import ChangingState, state_of


def changed(scene: Scene, rng: random.Random) -> Iterator[Scene]:
    """Yield scenes in each of which some things are otherwise than in the one before."""
    for _ in range(60):
        objects = list(scene.objects)
        for number in rng.sample(range(len(objects)), 3):
            thing = objects[number]
            other = replace(thing.attributes, is_open=rng.random() < 0.5, is_toggled=rng.random() < 0.5)
            objects[number] = replace(thing, attributes=other)
        items = [number for number, thing in enumerate(objects) if thing.traits.item]
        moved, consumed = rng.sample(items, 2)
        objects[moved] = replace(objects[moved], parents=objects[rng.choice(items)].parents)
        gone = replace(objects[consumed].attributes, is_sliced=not objects[consumed].attributes.is_sliced)
        objects[consumed] = replace(objects[consumed], attributes=gone)
        held = objects[rng.choice(items)].object_id if rng.random() < 0.5 else None
        scene = replace(scene, objects=tuple(objects), holding=held)
        yield scene


def test_what_changes_is_told_as_anew() -> None:
    room = load_room("FloorPlan5")
    household = household_problem(room, TRUE)
    tell = ChangingState(household.ids, household.begun)
    kept: set[str] = set()
    for scene in changed(room, random.Random(0)):
        told = tell(scene)
        assert told == ChangingState(household.ids, household.begun)(scene)
        whole = state_of(scene, household.ids, household.begun)
        kept.update(atom[0] for atom in told)
        assert told <= whole
        assert not {atom for atom in whole - told if atom[0] in kept}
    assert {"in", "is-open", "is-on", "sliced", "holding", "hand-empty", "exposed", "left-open", "ajar"} <= kept
