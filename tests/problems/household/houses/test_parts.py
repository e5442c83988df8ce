"""Parts of things: those of assets against iTHOR's rooms, and those that a house's file names."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest

from chorewright.errors import InputError
from chorewright.problems.household.houses.assets import asset_parts, assets, thing_parts
from chorewright.problems.household.houses.house import HousePart, HouseThing
from chorewright.problems.household.rooms import load_room
from chorewright.problems.household.scene import Scene
from tests.problems.household.houses.test_reading import document, read


def test_assets_have_the_parts_that_ithor_shows() -> None:
    kinds = Counter(assets()[name].kind for name in asset_parts())
    assert kinds["Dresser"] == 22
    assert kinds["Sink"] == 25
    drawers = Counter(
        assets()[name].kind for name, parts in asset_parts().items() for part in parts if part.kind == "Drawer"
    )
    assert drawers["Dresser"] == 144


@pytest.mark.parametrize("room", ["FloorPlan301", "FloorPlan310", "FloorPlan219", "FloorPlan401"])
def test_parts_lie_in_a_house_where_they_do_in_the_room(room: str) -> None:
    scene = load_room(room)
    seen = 0
    for thing in scene.objects:
        for part in thing_parts(HouseThing(thing.object_id, thing.asset, thing.centre, thing.rotation)):
            seen += 1
            assert _nearest(scene, part) < 0.03, part
    assert seen


def _nearest(scene: Scene, part: HousePart) -> float:
    return min(
        max(abs(one - other) for one, other in zip(thing.centre, part.position, strict=True))
        for thing in scene.objects
        if thing.kind == part.kind
    )


def test_the_parts_of_a_file_count() -> None:
    drawer = HousePart("Drawer|2|0|0", "Drawer", (1.0, 0.5, 2.0), (0.5, 0.2, 0.4))
    thing = HouseThing("Dresser|2|0", "Dresser_205_1", (1.0, 0.5, 2.0), (0.0, 90.0, 0.0))
    assert len(thing_parts(thing)) > 1
    assert thing_parts(replace(thing, parts=(drawer,))) == (drawer,)


def test_a_sink_has_a_basin() -> None:
    unknown = [name for name, asset in assets().items() if asset.kind == "Sink" and name not in asset_parts()]
    assert unknown
    for name in unknown:
        (basin,) = thing_parts(HouseThing("Sink|2|0", name, (1.0, 0.5, 2.0), (0.0, 90.0, 0.0)))
        assert basin.kind == "SinkBasin"


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"id": 3}, "$.objects[0].parts[0].id"),
        ({"objectType": None}, "$.objects[0].parts[0].objectType"),
        ({"size": {"x": 1, "y": 0, "z": 1}}, "$.objects[0].parts[0].size"),
        ({"position": {"x": 1, "y": 0}}, "$.objects[0].parts[0].position"),
        ({"controls": ["burner"]}, "$.objects[0].parts[0].controls[0]"),
        ({"yaw": "north"}, "$.objects[0].parts[0].yaw"),
    ],
    ids=str,
)
def test_a_mistake_in_a_part(change: dict[str, object], place: str) -> None:
    corner = {"x": 1.0, "y": 0.5, "z": 1.0}
    value = document()
    value["objects"][0]["parts"] = [{"id": "knob", "objectType": "StoveKnob", "position": corner, "size": corner}]
    assert read(value).things[0].parts[0].kind == "StoveKnob"
    value["objects"][0]["parts"][0] |= change
    with pytest.raises(InputError) as raised:
        read(json.loads(json.dumps(value)))
    assert raised.value.location is not None
    assert raised.value.location.json_path == place
