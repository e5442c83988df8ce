"""Houses of our own, checked from their files by means of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from chorewright.commands.families.household import house_report
from chorewright.errors import UsageError
from chorewright.problems.household.houses.assets import assets
from chorewright.problems.household.houses.design.rules import STYLES
from chorewright.problems.household.houses.house import House
from chorewright.problems.household.houses.reading import house_record, load_house, write_house
from chorewright.problems.household.houses.source import HouseRequest, generated_house, named_house
from tests.problems.household.houses.design import invariants

SEEDS = range(16)


def houses(style: str) -> list[House]:
    return [generated_house(seed, HouseRequest(style=style)) for seed in SEEDS]


def document(house: House) -> Any:
    return json.loads(json.dumps(house_record(house)))


@pytest.fixture(scope="module", params=STYLES)
def drawn(request: pytest.FixtureRequest) -> list[House]:
    return houses(request.param)


def test_written_houses_are_read_as_they_were(drawn: list[House], tmp_path: Path) -> None:
    for house in drawn:
        write_house(house, tmp_path / "house.json")
        assert load_house(tmp_path / "house.json") == house


def test_nothing_surprises_about_a_house(drawn: list[House]) -> None:
    for house in drawn:
        assert house_report(house).notes == ()


def test_furniture_does_not_overlap(drawn: list[House]) -> None:
    for house in drawn:
        assert invariants.overlapping(document(house)) == []


def test_all_rooms_and_receptacles_are_reached(drawn: list[House]) -> None:
    for seed, house in zip(SEEDS, drawn, strict=True):
        record = document(house)
        graph = invariants.walkable(record)
        assert nx.is_connected(graph), seed
        where = {place: invariants.room_at(record, *place) for place in graph}
        assert set(where.values()) == {room["id"] for room in record["rooms"]}, seed
        for name, box in invariants.receptacles(record):
            room = invariants.room_at(record, (box[0] + box[1]) / 2, (box[4] + box[5]) / 2)
            near = [place for place in graph if where[place] == room]
            assert min(invariants.gap(box, *place) for place in near) <= invariants.REACH, (seed, name)
        start = record["metadata"]["agent"]["position"]
        assert (start["x"], start["z"]) in graph


def test_things_are_in_the_room_of_their_number(drawn: list[House]) -> None:
    for house in drawn:
        record = document(house)
        for thing in record["objects"]:
            low_x, high_x, _, _, low_z, high_z = invariants.box_of(thing)
            rooms = {invariants.room_at(record, x, z) for x in (low_x, high_x) for z in (low_z, high_z)}
            assert rooms == {f"room|{thing['id'].split('|')[1]}"}, thing["id"]


def test_ids_differ(drawn: list[House]) -> None:
    for house in drawn:
        things = list(house.all_things())
        names = [thing.thing_id for thing in things] + [part.part_id for thing in things for part in thing.parts]
        assert len(set(names)) == len(names)


def test_children_lie_on_or_in_what_holds_them(drawn: list[House]) -> None:
    for house in drawn:
        for thing in document(house)["objects"]:
            boxes = {part["id"]: invariants.box_of(part) for part in thing.get("parts", ())}
            outer = invariants.box_of(thing)
            for child in thing.get("children", ()):
                inner = invariants.box_of(child)
                holder = boxes.get(child.get("within"), outer)
                x, z = child["position"]["x"], child["position"]["z"]
                assert invariants.gap(holder, x, z) <= 0.3, child["id"]
                assert holder[2] - 0.2 <= inner[2] <= holder[3] + 0.05, child["id"]


def test_children_of_one_surface_do_not_overlap(drawn: list[House]) -> None:
    for house in drawn:
        for thing in document(house)["objects"]:
            children = [
                child for child in thing.get("children", ()) if assets()[child["assetId"]].primary == "CanPickup"
            ]
            assert invariants.overlapping({"objects": children}) == []


def test_bathrooms_have_one_door(drawn: list[House]) -> None:
    for house in drawn:
        kinds = {room.room_id: room.kind for room in house.rooms}
        doors = Counter(room for door in house.doors if not door.outside for room in door.rooms)
        assert sum(door.outside for door in house.doors) == 1
        if len(house.rooms) > 1:
            assert all(doors[room] == 1 for room, kind in kinds.items() if kind == "bathroom")


@pytest.mark.parametrize(("least", "most"), [(1, 1), (4, 4), (10, 10)])
def test_the_number_of_rooms(least: int, most: int) -> None:
    for seed in range(3):
        assert len(generated_house(seed, HouseRequest((least, most))).rooms) == least


def test_kitchens_have_what_tasks_need() -> None:
    for house in houses("rich"):
        for room in house.rooms:
            here = [thing for thing in house.things if thing.thing_id.split("|")[1] == room.room_id.split("|")[1]]
            kinds = {assets()[each.asset].kind for thing in here for each in thing.walk()}
            parts = [part for thing in here for part in thing.parts]
            kinds |= {part.kind for part in parts}
            if room.kind == "kitchen":
                assert {"Sink", "Faucet", "Microwave", "Toaster", "CoffeeMachine", "Fridge", "Knife"} <= kinds
                assert {"Drawer", "Cabinet", "StoveBurner", "StoveKnob"} <= kinds
                burners = {part.part_id for part in parts if part.kind == "StoveBurner"}
                assert {name for part in parts for name in part.controls} == burners
            if room.kind == "bathroom":
                assert {"Toilet", "Sink", "Faucet"} <= kinds


def test_names() -> None:
    assert named_house("house:3") == generated_house(3)
    for name in ("house:", "house:x", "house:-1", "FloorPlan1", "house:٣", f"house:{10**30}"):
        with pytest.raises(UsageError):
            named_house(name)


_DIGEST = """
import hashlib, json
from chorewright.problems.household.houses.source import generated_house
from chorewright.problems.household.houses.reading import house_record
print(hashlib.sha256(json.dumps([house_record(generated_house(seed)) for seed in range(4)]).encode()).hexdigest())
"""


@pytest.mark.parametrize("hash_seed", ["1", "4711"])
def test_bytes_do_not_depend_on_hashes(hash_seed: str) -> None:
    here = sha256(json.dumps([house_record(generated_house(seed)) for seed in range(4)]).encode()).hexdigest()
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    run = subprocess.run([sys.executable, "-c", _DIGEST], capture_output=True, text=True, env=environment, check=True)
    assert run.stdout.strip() == here
