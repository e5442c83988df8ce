"""Nasty values, and a valid file in which each field, or each token, is one of them.

A place of a JSON document is a member, or the first element of a list, of a pattern: of ``$.objects[*].position.x``
one object's is taken, since a reader treats all alike.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

Case: TypeAlias = tuple[str, Callable[[], bytes]]
"""What was done to a file, and what makes the file: there are thousands, of which some are a megabyte."""

MOST_MEMBERS = 40
"""An object of more members is a table: the values of its first ``FEW`` stand for all."""

FEW = 3

DIGITS = "9" * 400
DEEP = 10_000
LONG = "x" * 1_000_000

JSON: dict[str, str] = {
    "400 digits": DIGITS,
    "400 digits below zero": f"-{DIGITS}",
    "5000 digits": "9" * 5000,
    "NaN": "NaN",
    "-Infinity": "-Infinity",
    "1e308": "1e308",
    "-1e308": "-1e308",
    "1e999": "1e999",
    "5e-324": "5e-324",
    "-0": "-0",
    "-0.0": "-0.0",
    "-1": "-1",
    "4321.5": "4321.5",
    "2**63-1": str(2**63 - 1),
    "empty": '""',
    "NUL": r'"\u0000"',
    "1 MB": f'"{LONG}"',
    "a lone surrogate": r'"\ud800"',
    "a path": r'"../../../etc/passwd"',
    "controls": r'"\u001b[31m\n\u202e<script>"',
    "half PDDL": '"(and (not"',
    "lists in lists": "[" * DEEP + "]" * DEEP,
    "objects in objects": '{"a":' * DEEP + "1" + "}" * DEEP,
    "null": "null",
    "true": "true",
    "an empty list": "[]",
    "an empty object": "{}",
    "a list": '[1, "a", null]',
    "an object": '{"a": [1]}',
    "not UTF-8": "\udcff",
    "no value": "",
}

TOKENS: dict[str, str] = {
    **{name: JSON[name] for name in ("400 digits", "NaN", "1e308", "1e999", "5e-324", "-0", "-1", "not UTF-8")},
    "missing": "",
    "NUL": "\0",
    "1 MB": LONG,
    "a surrogate in UTF-8": "\udced\udca0\udc80",
    "a letter that is no ASCII": "\u017f\u202e",
    "open": "(",
    "close": ")",
    "open deep": "(" * DEEP,
    "close deep": ")" * DEEP,
    "nested deep": "(" * DEEP + "a" + ")" * DEEP,
    "and deep": "(and " * DEEP + ")" * DEEP,
    "nothing": "()",
    "a quote": '"',
    "a text": '"a b"',
    "a variable": "?zz",
    "a keyword": ":goal",
    "a dash": "-",
    "brackets": "[[{",
    "a line end": "\n",
}

TOML: dict[str, str] = {
    "400 digits": DIGITS,
    "nan": "nan",
    "-inf": "-inf",
    "1e308": "1e308",
    "1e999": "1e999",
    "-1": "-1",
    "empty": '""',
    "NUL": r'"\u0000"',
    "1 MB": f'"{LONG}"',
    "a lone surrogate": r'"\ud800"',
    "a path": '"../../etc/passwd"',
    "module:attribute": '"os:abort"',
    "lists in lists": "[" * DEEP + "]" * DEEP,
    "true": "true",
    "a list": '[1, "a"]',
    "an object": "{a = 1}",
    "a date": "1979-05-27",
    "no value": "",
    "not UTF-8": "\udcff",
}

_MARK = "\ue000place\ue000"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def json_cases(document: Any, again: Callable[[Any], Any] | None = None) -> Iterator[Case]:
    """Yield the document with each of its places nasty, missing, or there twice.

    Args:
        document: Of a valid file.
        again: Makes what depends on the rest anew, such as a checksum, so that the change is not the first thing seen.
    """
    yield from ((f"$ is {name}", partial(_bytes, value)) for name, value in JSON.items())
    for where, put in _places(document):
        for name, value in JSON.items():
            yield f"{where} is {name}", partial(_replaced, put, value)
            if again is not None and (parsed := _parsed(value)) is not _NONE:
                yield f"{where} is {name}, anew", partial(_dumped, put, parsed, again)
        yield f"{where} is missing", partial(_missing, put)
        yield f"{where} is there twice", partial(_doubled, put)


Put: TypeAlias = Callable[..., Any]
"""Returns a document with something else at a place."""


def _replaced(put: Put, value: str) -> bytes:
    return _bytes(_marked(put).replace(json.dumps(_MARK, ensure_ascii=False), value))


def _doubled(put: Put) -> bytes:
    mark = json.dumps(_MARK, ensure_ascii=False)
    return _bytes(re.sub(rf'("(?:[^"\\]|\\.)*": )?{mark}', _twice, _marked(put)))


def _missing(put: Put) -> bytes:
    return json.dumps(put(None, missing=True)).encode()


def _dumped(put: Put, value: object, again: Callable[[Any], Any]) -> bytes:
    return json.dumps(again(put(value))).encode()


def _marked(put: Put) -> str:
    return json.dumps(put(_MARK), ensure_ascii=False)


_NONE = object()


def _parsed(value: str) -> object:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return _NONE


def _twice(found: re.Match[str]) -> str:
    return f"{found[1] or ''}1, {found[1] or ''}1"


def _places(document: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield each place, and what returns the document with something else there."""
    seen: set[str] = set()

    def walk(value: Any, steps: tuple[str | int, ...], pattern: str) -> Iterator[tuple[str, Callable[..., Any]]]:
        children: Any = ()
        if isinstance(value, dict):
            members = list(value.items())[: FEW if len(value) > MOST_MEMBERS else None]
            children = [(key, each, f"{pattern}.{key}") for key, each in members]
        elif isinstance(value, list):
            children = [(number, each, f"{pattern}[*]") for number, each in enumerate(value)]
        for step, each, name in children:
            if name not in seen:
                seen.add(name)
                yield name, lambda other, missing=False, steps=(*steps, step): _with(document, steps, other, missing)
            yield from walk(each, (*steps, step), name)

    yield from walk(document, (), "$")


def _with(value: Any, steps: tuple[str | int, ...], other: Any, missing: bool) -> Any:
    if not steps:
        return other
    changed = dict(value) if isinstance(value, dict) else list(value)
    first, *rest = steps
    if missing and not rest:
        del changed[first]
    else:
        changed[first] = _with(value[first], tuple(rest), other, missing)
    return changed


def token_cases(text: str) -> Iterator[Case]:
    """Yield the text with each of its tokens nasty, missing, or there twice."""
    yield from ((f"all is {name}", partial(_bytes, value)) for name, value in TOKENS.items())
    for number, token in enumerate(re.finditer(r'"[^"\n]*"|;[^\n]*|[()\[\]{}]|[^\s()\[\]{}]+', text)):
        before, behind = text[: token.start()], text[token.end() :]
        for name, value in {**TOKENS, "there twice": f"{token[0]} {token[0]}"}.items():
            yield f"token {number}, {token[0]!r}, is {name}", partial(_joined, before, value, behind)


def _joined(*parts: str) -> bytes:
    return _bytes("".join(parts))


def toml_cases(text: str) -> Iterator[Case]:
    """Yield settings with each value nasty, missing, or there twice."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        before, behind = "\n".join(lines[:number]), "\n".join(lines[number + 1 :])
        key, sign, _ = line.partition("=")
        values = {name: f"{key}= {value}" for name, value in TOML.items()} if sign else {}
        for name, value in {**values, "missing": "", "there twice": f"{line}\n{line}"}.items():
            yield f"line {number + 1} is {name}", partial(_joined, before, "\n", value, "\n", behind, "\n")
