"""Records of JSON: what msgspec makes of them, and where it says that something is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from chorewright.errors import InputError
from chorewright.files.json_node import root
from chorewright.files.json_source import parse_json
from chorewright.files.records import decode_record, read_record, reader_of


@dataclass(frozen=True, slots=True)
class Shelf:
    name: str
    levels: tuple[float, ...] = ()
    open: bool | None = None


@dataclass(frozen=True, slots=True)
class Cabinet:
    """Shelves by room, those of numbered walls, and what lies in them by two keys."""

    shelves: Mapping[str, tuple[Shelf, ...]]
    walls: Mapping[int, str]
    things: Mapping[str, Mapping[str, int]]
    kinds: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if "nothing" in self.kinds:
            raise ValueError("nothing is no kind")


WHOLE = """{
 "shelves": {"hall": [{"name": "low"}], "den": [{"name": "high", "levels": [1, 2.5], "open": null}]},
 "walls": {"1": "north"},
 "things": {"low": {"cup": 1}, "high": {"cup": 2, "jar": 3}},
 "kinds": ["cup", "jar"]
}"""


def test_a_whole_record() -> None:
    found = read_record(Cabinet, root(parse_json(WHOLE)))
    assert found.shelves["den"] == (Shelf("high", (1.0, 2.5)),)
    assert (found.walls, found.things["high"]) == ({1: "north"}, {"cup": 2, "jar": 3})
    assert found.kinds == {"cup", "jar"}
    assert decode_record(Cabinet, WHOLE) == found


@pytest.mark.parametrize(
    ("old", "new", "line", "path", "message"),
    [
        ('"high", "levels"', '7, "levels"', 2, "$.shelves.den[0].name", "expected a string, found 7"),
        ("2.5", '"no"', 2, "$.shelves.den[0].levels[1]", 'expected a number, found "no"'),
        ("null", "3", 2, "$.shelves.den[0].open", "expected true or false or null, found 3"),
        ('"cup": 2', '"cup": 2.5', 4, "$.things.high.cup", "expected a whole number, found 2.5"),
        ('"jar": 3', '"jar": true', 4, "$.things.high.jar", "expected a whole number, found true"),
        ('{"cup": 1}', "[]", 4, "$.things.low", "expected an object, found []"),
        ('"name": "low"', '"nam": "low"', 2, "$.shelves.hall[0]", "the key 'name' is missing"),
        ('["cup", "jar"]', '["nothing"]', 1, "$", "nothing is no kind"),
        ('"things"', '"thing"', 1, "$", "the key 'things' is missing"),
    ],
)
def test_what_does_not_fit(old: str, new: str, line: int, path: str, message: str) -> None:
    assert WHOLE.count(old) == 1
    with pytest.raises(InputError) as caught:
        read_record(Cabinet, root(parse_json(WHOLE.replace(old, new), "cabinet.json")))
    where = caught.value.location
    assert where is not None
    assert (caught.value.message, where.json_path, where.line, where.path) == (message, path, line, "cabinet.json")


def test_a_key_that_is_nearly_right() -> None:
    with pytest.raises(InputError) as caught:
        read_record(Shelf, root(parse_json('{"nam": "low"}')))
    assert caught.value.hint == "did you mean 'nam'?"


def test_data_that_is_no_json() -> None:
    with pytest.raises(InputError, match="truncated"):
        decode_record(Shelf, b'{"name"')


def test_a_shipped_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "cupboard"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "shelf.json").write_text('{"about": "A shelf.", "name": "low", "kinds": ["cup"]}')
    monkeypatch.syspath_prepend(tmp_path)
    shelf, kinds = (
        reader_of(Shelf, "cupboard", "shelf.json"),
        reader_of(tuple[str, ...], "cupboard", "shelf.json", "kinds"),
    )
    assert (shelf(), kinds()) == (Shelf("low"), ("cup",))
    (package / "shelf.json").unlink()
    assert shelf().name == "low"
