"""What the product says and writes is as it was frozen: the part of ``python -m tests.freeze`` that takes seconds.

Left to the command are the groups of benchmarks with rooms, physics and pictures, whose episodes
``tests/generator/test_digests.py`` compares, games, plans, and pages of help, which typer lays out.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.freeze.frozen import differences, digest, stored
from tests.freeze.items import ITEMS
from tests.freeze.making import chosen, make
from tests.freeze.workspace import Workspace

GATE = (
    "alfred/show",
    "blocks/dataset",
    "blocks/show",
    "blocks/show-json",
    "blocks/export-descriptions",
    "blocks/export-questions",
    "chains/draws",
    "files/check",
    "files/fmt",
    "objectnav/show",
    "objectnav/export-objectnav",
    "plan/compare",
    "plan/temporal",
)


def test_what_is_said_and_written_is_as_before() -> None:
    before = stored()
    made = list(make([item for item in ITEMS if item.name in GATE], workers=0))
    assert sorted(each.name for each in made) == sorted(GATE)
    assert [(each.name, each.trouble, each.missing) for each in made if not each.digest] == []
    assert [each.name for each in made if each.digest != before[each.name]] == []


def test_every_item_is_frozen() -> None:
    names = [item.name for item in ITEMS]
    assert sorted(set(names)) == sorted(names)
    assert stored().keys() == set(names)


def test_items_are_chosen_by_name_and_group() -> None:
    assert [item.name for item in chosen(["files", "help/pages"])] == ["files/check", "files/fmt", "help/pages"]
    assert 0 < len(chosen([], quick=True)) < len(chosen([]))


@pytest.mark.parametrize(
    ("loose", "text", "settled"),
    [
        (False, "4 made now (1.8/s)", "4 made now (*/s)"),
        (False, "17/40 episodes, 50.0 % accepted\ndone", "done"),
        (True, "1/1 episode, 100.0 % accepted\ndone", "done"),
        (False, '"numpy": "2.4.6", "checksum": "' + "7d" * 32 + '"', '"numpy": "*", "checksum": "*"'),
        (False, "at 1.25", "at 1.25"),
        (True, '{\\"contacts\\":{\\"a\\":[[\\"b\\"]]}}', '{\\"contacts\\":~}'),
        (True, "at 1.25e-3 <img src='data:image/png;base64,iVBO='>", "at ~ <img src='data:image'>"),
    ],
)
def test_output_is_settled(loose: bool, text: str, settled: str, tmp_path: Path) -> None:
    assert Workspace(tmp_path, {}, loose).settled(f"{text} {tmp_path}/x") == f"{settled} ./x"


def test_differences_are_told() -> None:
    before, now = {"a": b"one\ntwo\n", "b": b"\xff"}, {"a": b"one\n2\n", "b": b"\xfe\xff"}
    assert digest(before) != digest(now)
    told = list(differences(before, now))
    assert "-two" in told
    assert "+2" in told
    assert "b: bytes differ, 1 before, 2 now" in told
