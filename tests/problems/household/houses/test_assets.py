"""The table of assets, and how it is made."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.shipped import assets as build_assets
from chorewright.problems.household.houses.assets import assets, kind_of, thing_parts
from chorewright.problems.household.houses.house import HouseThing
from chorewright.problems.household.kinds import shipped_kinds


def test_all_assets_are_there() -> None:
    found = assets().values()
    assert len(found) == 1653
    assert len({asset.kind for asset in found}) == 109
    assert Counter(asset.primary for asset in found) == {"Static": 367, "Moveable": 588, "CanPickup": 678, None: 20}
    assert Counter(asset.split for asset in found) == {"train": 1014, "val": 249, "test": 282, None: 108}
    assert sum(asset.open_size is not None for asset in found) == 186
    assert sum("Receptacle" in asset.properties for asset in found) == 833
    assert all(min(asset.size) > 0 for asset in found)


def test_five_kinds_are_not_in_the_vocabulary() -> None:
    unknown = {asset.kind for asset in assets().values()} - set(shipped_kinds())
    assert unknown == {"Cart", "ClothesDryer", "WashingMachine", "Doorway", "Doorframe"}


@pytest.mark.parametrize(
    ("asset", "thing", "kind"),
    [
        ("Fridge_1", "Fridge|2|1", "Fridge"),
        ("Fridge_1", "small|2|1", "Fridge"),
        ("Fridge_1", "Mug|2|1", "Fridge"),
        ("of_ours", "Mug|2|1", "Mug"),
        ("of_ours", "small|2|1", None),
        ("of_ours", "", None),
    ],
)
def test_kinds_are_those_of_assets(asset: str, thing: str, kind: str | None) -> None:
    assert kind_of(asset, thing) == kind


def test_parts_have_ids_of_their_kind_thing_and_number() -> None:
    parts = thing_parts(HouseThing("Dresser|2|0", "Dresser_205_1", (1.0, 0.5, 2.0), (0.0, 90.0, 0.0)))
    assert len(parts) > 1
    assert [part.part_id for part in parts] == [f"Drawer|Dresser|2|0|{number}" for number in range(len(parts))]
    assert {(part.kind, part.yaw) for part in parts} == {("Drawer", 90.0)}


def test_the_table_is_made_again_with_the_same_bytes(tmp_path: Path) -> None:
    box = {"x": 0.12345678, "y": 1, "z": 2.5}
    database = {
        "Safe": [
            {"assetId": "Safe_2", "boundingBox": box, "states": {"open": {"boundingBox": box}}, "split": "val"},
            {"assetId": "Safe_1", "boundingBox": box, "primaryProperty": "Static", "secondaryProperties": ["B", "A"]},
        ]
    }
    wheel = tmp_path / "procthor.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(build_assets.ASSETS, json.dumps(database))
        archive.writestr(build_assets.RECEPTACLES, json.dumps({"Safe": {"Book": {"count": 1, "p": 0.25}}}))
    for name in ("one.zip", "two.zip"):
        assert build_assets.main([str(wheel), str(tmp_path / name)]) == 0
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        assert json.loads(archive.read("assets.json")) == {
            "Safe": [
                ["Safe_1", [0.1235, 1, 2.5], None, "Static", ["A", "B"], None],
                ["Safe_2", [0.1235, 1, 2.5], [0.1235, 1, 2.5], None, [], "val"],
            ]
        }


def test_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert build_assets.main([]) == 2
    assert "PROCTHOR_WHEEL" in capsys.readouterr().err
