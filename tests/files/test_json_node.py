"""Checks of JSON values: the plain value, or an error with its place and what was found instead."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chorewright.errors import InputError, InputErrors
from chorewright.files.json_node import JsonFindings, Node, root
from chorewright.files.json_source import parse_json

DOCUMENT = """{
 "list": [1, 2.5, true, "x", null, {}],
 "texts": ["a", "b"],
 "name": "mug",
 "count": 3,
 "many": 1e99,
 "blank": " ",
 "mixed": ["a", 3],
 "one": [{"k": null}]
}"""


@pytest.fixture
def node() -> Node:
    return root(parse_json(DOCUMENT, "f", strict=False))


def test_values(node: Node) -> None:
    assert [each.value for each in node["list"].items()] == [1, 2.5, True, "x", None, {}]
    assert node["texts"].texts() == ("a", "b")
    assert node["name"].text() == node["name"].line() == node["name"].one_of(("cup", "mug")) == "mug"
    assert node["count"].whole(1, 3) == 3
    assert [each.number() for each in list(node["list"].items())[:2]] == [1.0, 2.5]
    assert list(node["list"].items())[2].flag() is True
    assert node.get("nothing") is None
    assert node["one"].only().get("k") is None
    assert "name" in node
    assert "nothing" not in node
    assert "k" not in node["one"].only()
    assert [key for key, _ in node.members()][:2] == ["list", "texts"]
    assert (node["one"].only()["k"].where, node.path) == ("$.one[0].k", "f")


def at(node: Node, number: int) -> Node:
    return list(node["list"].items())[number]


WRONG: list[tuple[Callable[[Node], object], str]] = [
    (lambda n: n["nam"], "1:1:$: the key 'nam' is missing"),
    (lambda n: n["name"]["x"], '4:2:$.name: expected an object, found "mug"'),
    (lambda n: n["name"].get("x"), '4:2:$.name: expected an object, found "mug"'),
    (lambda n: list(n["name"].items("a list of tasks")), '4:2:$.name: expected a list of tasks, found "mug"'),
    (lambda n: list(n["name"].members()), '4:2:$.name: expected an object, found "mug"'),
    (lambda n: n["list"].only(), "2:2:$.list: expected exactly one entry, found 6"),
    (lambda n: at(n, 0).text(), "2:11:$.list[0]: expected a string, found 1"),
    (lambda n: n["blank"].line("a name"), '7:2:$.blank: expected a name, found " "'),
    (lambda n: n["mixed"].texts(), "8:17:$.mixed[1]: expected a string, as in a list of strings, found 3"),
    (lambda n: n["name"].texts("a list of kinds"), '4:2:$.name: expected a list of kinds, found "mug"'),
    (lambda n: n["name"].one_of(("mugs", "cup")), '4:2:$.name: expected "mugs" or "cup", found "mug"'),
    (lambda n: at(n, 0).flag(), "2:11:$.list[0]: expected true or false, found 1"),
    (lambda n: at(n, 2).whole(), "2:19:$.list[2]: expected a whole number of 0 or more, found true"),
    (lambda n: at(n, 1).whole(1, 2), "2:14:$.list[1]: expected a whole number from 1 to 2, found 2.5"),
    (lambda n: n["count"].whole(4), "5:2:$.count: expected a whole number of 4 or more, found 3"),
    (lambda n: n["count"].whole(0, 2), "5:2:$.count: expected a whole number from 0 to 2, found 3"),
    (lambda n: at(n, 2).number(), "2:19:$.list[2]: expected a number from -1e9 to 1e9, found true"),
    (lambda n: n["many"].number(), "6:2:$.many: expected a number from -1e9 to 1e9, found 1e+99"),
    (lambda n: n.expected("x").message and n["list"].text(), "2:2:$.list: expected a string, found [1, 2.5, true,"),
]


@pytest.mark.parametrize(("read", "message"), WRONG, ids=range(len(WRONG)))
def test_errors(node: Node, read: Callable[[Node], object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(node)
    assert str(caught.value).startswith(f"f:{message}")


def test_hints_name_what_may_be_meant(node: Node) -> None:
    with pytest.raises(InputError) as caught:
        _ = node["nam"]
    assert caught.value.hint == "did you mean 'name'?"
    with pytest.raises(InputError) as caught:
        node["name"].one_of(("mugs", "cup"))
    assert caught.value.hint == "did you mean 'mugs'?"


def test_findings_are_told_at_once(node: Node) -> None:
    findings = JsonFindings()
    findings.report()
    for read in (lambda: node["name"].whole(), lambda: node["count"].whole(), lambda: node["texts"].text()):
        with findings.collected():
            read()
    with findings.collected():
        raise InputErrors([node.error("one"), node.error("two")])
    with pytest.raises(ZeroDivisionError), findings.collected():
        _ = 1 / 0
    with pytest.raises(InputErrors) as caught:
        findings.report()
    assert len(caught.value.errors) == 4
