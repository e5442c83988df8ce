"""The JSON reader agrees with ``json.loads``, and knows where every value stands."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from chorewright.errors import ChorewrightError, InputError, InputErrors, LimitError, Location
from chorewright.files.json_source import (
    MOST_NESTED,
    MOST_VALUES,
    JsonSource,
    JsonValue,
    Steps,
    bare,
    json_path,
    load_json,
    parse_json,
)

KEYS = ("a", "b b", "ä", "#0", 'q"', "\\", "a.b", "", "0", "\n")
TEXTS = ("", "x", "a\\b", '"', "{[,:]}", "ü😀", "\u2028", "\ttab")


def random_value(rng: random.Random, depth: int = 0) -> JsonValue:
    kind = rng.randrange(5 if depth < 4 else 3)
    if kind == 0:
        return rng.choice((None, True, False, 0, -1.5, 1e300, 12))
    if kind <= 2:
        return rng.choice(TEXTS)
    if kind == 3:
        return [random_value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice(KEYS): random_value(rng, depth + 1) for _ in range(rng.randrange(4))}


def spread(value: JsonValue, rng: random.Random, steps: Steps = ()) -> Iterator[tuple[str, Steps | None]]:
    """Yield the pieces of a value's text with blanks between them; with the steps of the value, or key, that begins."""
    blank = rng.choice(("", " ", "\n", "\t\r\n ", ""))
    if isinstance(value, dict):
        yield "{" + blank, None if steps and isinstance(steps[-1], str) else steps
        for number, (key, each) in enumerate(value.items()):
            yield ("," if number else "") + blank, None
            yield json.dumps(key, ensure_ascii=rng.random() < 0.5), (*steps, key)
            yield blank + ":" + blank, None
            yield from spread(each, rng, (*steps, key))
        yield blank + "}", None
    elif isinstance(value, list):
        yield "[", None if steps and isinstance(steps[-1], str) else steps
        for number, each in enumerate(value):
            yield ("," if number else "") + blank, None
            yield from spread(each, rng, (*steps, number))
        yield "]" + blank, None
    else:
        yield (
            json.dumps(value, ensure_ascii=rng.random() < 0.5),
            None if steps and isinstance(steps[-1], str) else steps,
        )


def written(value: JsonValue, rng: random.Random) -> tuple[str, dict[Steps, int]]:
    """A value's text, and where its values stand (members: where their keys do)."""
    text = rng.choice(("", "\n ", " "))
    places = {}
    for piece, steps in spread(value, rng):
        if steps is not None:
            places[steps] = len(text)
        text += piece
    return text, places


def place_of(text: str, offset: int) -> tuple[int, int]:
    before = text[:offset].split("\n")
    return len(before), len(before[-1]) + 1


@pytest.mark.parametrize("strict", [True, False])
def test_values_and_places_of_random_documents(strict: bool) -> None:
    rng = random.Random(1)
    checked = 0
    for _ in range(800):
        value = random_value(rng)
        text, places = written(value, rng)
        source = parse_json(text, "f", strict=strict)
        assert source.value == json.loads(text) == value
        for steps, offset in places.items():
            found = source.location(steps)
            assert (found.line, found.column) == place_of(text, offset), (text, steps)
            assert found.json_path == json_path(steps)
            assert found.source_line == text.split("\n")[(found.line or 0) - 1].rstrip("\r")
            checked += 1
    assert checked > 1000


def test_what_is_missing_is_placed_at_what_lacks_it() -> None:
    source = parse_json('{\n "a": [\n  {"b": 1}]}')
    for steps, place in [
        (("z",), (1, 1)),
        (("a", 5), (2, 2)),
        (("a", "x"), (2, 2)),
        (("a", 0, "z"), (3, 3)),
        (("a", 0, "b", "c"), (3, 4)),
        ((3,), (1, 1)),
    ]:
        found = source.location(steps)
        assert (found.line, found.column, found.json_path) == (*place, json_path(steps))


def _fits(text: str, value: JsonValue) -> bool:
    """Whether a JSON text has no key twice, no number too large, and no half of a surrogate pair."""
    repeated = []
    json.loads(text, object_pairs_hook=lambda pairs: repeated.append(len(dict(pairs)) < len(pairs)))
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        return False
    return not any(repeated) and not re.search(r"\d{19}", str(value))


def test_broken_documents_are_refused_as_by_python() -> None:
    """Every change of one letter: read alike, or refused with a place inside of the text."""
    rng = random.Random(2)
    refused = 0
    for _ in range(3000):
        text, _ = written(random_value(rng), rng)
        cut = rng.randrange(len(text) + 1)
        broken = text[:cut] + rng.choice(("", "{", "]", '"', ",", ":", "1", "\\", "\0", "nul")) + text[cut + 1 :]
        try:
            expected = json.loads(broken)
        except ValueError:
            with pytest.raises(InputError, match="not JSON") as caught:
                parse_json(broken, "f")
            place = caught.value.location
            assert place is not None
            assert place.line is not None
            assert place.column is not None
            assert 1 <= place.line <= broken.count("\n") + 1
            assert 1 <= place.column <= len(place.source_line or "") + 2
            refused += 1
        else:
            if _fits(broken, expected):
                assert parse_json(broken, strict=False).value == expected
            else:
                with pytest.raises(InputError, match=r"surrogate|occurs twice|too large"):
                    parse_json(broken, strict=False)
    assert refused > 1000


def test_keys_that_occur_twice() -> None:
    text = '{"a": {"b": 1,\n "b": 2, "\\u0062": 3}, "c": [{"d": {}, "d": []}], "b": 1}'
    with pytest.raises(InputErrors) as caught:
        parse_json(text, "f")
    places = [(e.location.line, e.location.json_path) for e in caught.value.errors if e.location is not None]
    assert places == [(2, "$.a.b"), (2, "$.a.b"), (2, "$.c[0].d")]
    with pytest.raises(InputErrors):
        parse_json(text, strict=False)


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_are_none(word: str) -> None:
    with pytest.raises(InputError, match=f"{word} is not a JSON number") as caught:
        parse_json(f'{{"a": "{word}",\n "b": {word}}}')
    place = caught.value.location
    assert place is not None
    assert (place.line, place.column, place.json_path) == (2, 7, "$.b")
    assert str(parse_json(f"[{word}]", strict=False).value) == str(json.loads(f"[{word}]"))


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
def test_the_limit_on_depth(opening: str) -> None:
    levels = opening.count("[") + opening.count("{")
    closing = "".join({"[": "]", "{": "}"}[c] for c in reversed(opening) if c in "[{")
    fits = MOST_NESTED // levels
    assert parse_json(opening * fits + "1" + closing * fits).value
    for number in (fits + 1, 3000, 100_000):
        for text in (opening * number + "1" + closing * number, opening * number):
            with pytest.raises(LimitError, match="nested deeper than 60 levels") as caught:
                parse_json(text)
            place = caught.value.location
            assert place is not None
            assert place.column is not None
            head = text[: place.column]
            assert head.count("[") + head.count("{") == MOST_NESTED + 1
    assert parse_json('["' + "[" * 1000 + '"]').value == ["[" * 1000]


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("9" * 10_000, "a whole number of 10000 digits is too large"),
        ("-" + "1" * 400, "a whole number of 400 digits is too large"),
        (str(2**63), "a whole number of 19 digits is too large"),
        ("1e309", "a number is too large"),
        ("-1.5E+400", "a number is too large"),
        ("9" * 400 + ".5", "a number is too large"),
        (r'"\ud83d"', "half of a surrogate pair"),
        (r'"a\uDE00\ud83d"', "half of a surrogate pair"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(word: str, message: str, strict: bool) -> None:
    with pytest.raises(InputError, match=message) as caught:
        parse_json(f'{{"a": [\n1, {word}], "b": 1}}', "f", strict=strict)
    place = caught.value.location
    assert place is not None
    assert (place.line, place.column, place.json_path) == (2, 4, "$.a[1]")


def test_what_just_fits() -> None:
    text = f'[{2**63 - 1}, {-(2**63)}, 1e308, 0.{"1" * 400}, 1e-400, "\\ud83d\\ude00", "{"9" * 400}", "1e999"]'
    assert parse_json(text).value == json.loads(text)


def test_the_limit_on_values() -> None:
    assert parse_json('["' + "," * (MOST_VALUES + 10) + '"]').value
    with pytest.raises(LimitError, match="more than 2,000,000 values") as caught:
        parse_json("[\n" + "[]," * (MOST_VALUES // 2) + "[]]", "f")
    assert caught.value.location is not None
    assert caught.value.location.line == 2


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    path.write_text('\ufeff{"a": 1}', "utf-8")
    assert load_json(path) == JsonSource(str(path), '{"a": 1}', {"a": 1})
    with pytest.raises(LimitError):
        load_json(path, 5)


@pytest.mark.parametrize(
    ("where", "line", "column"),
    [
        ("$", 1, 1),
        ("$.a", 2, 2),
        ("$.a[1]", 2, 11),
        ("$.a[1].b.c", 2, 12),
        ('$["b.c"]', 3, 2),
        ("$.b.c", 3, 2),
        ("$.b.c.d|+1[x]", 3, 10),
        ("$.a[9].b", 2, 2),
        ("$.nothing[0]", 1, 1),
        ("$%", 1, 1),
    ],
)
def test_errors_about_bare_values_are_located(where: str, line: int, column: int) -> None:
    source = parse_json('{\n "a": [0, {"b.c": 1}],\n "b.c": {"d|+1[x]": 2}}', "f")
    with pytest.raises(InputError) as caught, source.locate():
        raise InputError("wrong", location=Location("f", json_path=where), hint="h")
    assert str(caught.value) == f"f:{line}:{column}:{where}: wrong"
    assert caught.value.hint == "h"


def test_errors_about_a_part_and_several_errors_are_located() -> None:
    source = parse_json('{"a":\n [{"b": 1}]}', "f")
    own = InputError("here", location=Location("f", 7, 8))
    with pytest.raises(InputErrors) as caught, source.locate(("a", 0)):
        raise InputErrors([InputError("wrong", location=Location("f", json_path="$.b")), own, InputError("bare")])
    assert [str(error) for error in caught.value.errors] == ["f:2:4:$.a[0].b: wrong", "f:7:8: here", "bare"]


def test_a_document_without_text_has_json_paths() -> None:
    source = bare({"a": [1]}, "f")
    assert source.location(("a", 0)) == Location("f", json_path="$.a[0]")


def test_members() -> None:
    assert parse_json('{"a": 1}').members == {"a": 1}
    with pytest.raises(ChorewrightError, match="expected a JSON object"):
        _ = parse_json("[]").members


def test_json_paths_are_plain_where_they_can_be() -> None:
    assert json_path(("a", 0, "b c", "d")) == '$.a[0]["b c"].d'
    assert re.fullmatch(r'\$\["\\u00e4"\]', json_path(("ä",)))
