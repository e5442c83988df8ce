"""The examples of ``docs/pddl.md`` work, and mean what the text says."""

from __future__ import annotations

import re

import pytest

from chorewright.domains.pddl import is_subtype, parse_domain, parse_problem, types_below
from chorewright.domains.pddl.syntax import AtLeast, Atom, Typed
from tests.command import ROOT

TEXT = (ROOT / "docs" / "pddl.md").read_text(encoding="utf-8")
PDDL = re.findall(r"```pddl\n(.*?)```", TEXT, re.DOTALL)
PYTHON = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def test_the_pddl_examples() -> None:
    domain_text, problem_text = PDDL
    problem = parse_problem(problem_text, parse_domain(domain_text))
    assert problem.goal == AtLeast(2, (Typed("?x", ("food",)),), Atom("in", ("?x", "big")))
    assert problem.minimize_cost


@pytest.mark.parametrize("code", PYTHON)
def test_the_python_examples(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(code, {})
    assert capsys.readouterr().out == "missing.pddl: cannot read the file: No such file or directory\n"


# subtype, supertype, whether
RELATIONS = [
    ("jar", "jar", True),
    ("jar", "container", True),
    ("jar", "thing", True),
    ("jar", "object", True),
    ("object", "object", True),
    ("container", "jar", False),
    ("object", "thing", False),
    ("jar", "food", False),
    ("unknown", "thing", False),
]


@pytest.mark.parametrize(("name", "ancestor", "expected"), RELATIONS)
def test_subtypes(name: str, ancestor: str, expected: bool) -> None:
    assert is_subtype(parse_domain(PDDL[0]), name, ancestor) is expected


def test_types_below_are_in_the_order_of_declaration() -> None:
    domain = parse_domain(PDDL[0])
    assert types_below(domain, "container") == ("container", "jar", "box")
    assert types_below(domain, "jar") == ("jar",)
    assert types_below(domain, "unknown") == ()


@pytest.mark.parametrize(("upper", "order"), [(False, 1), (True, 1), (False, -1), (True, -1)])
def test_case_and_the_order_of_sections_do_not_matter(upper: bool, order: int) -> None:
    text = PDDL[0]
    expected = parse_domain(text)
    if upper:
        text = text.upper()
    parts = re.split(r"\n(?=\s*\(:)", text.rstrip()[:-1])
    assert parse_domain("\n".join([parts[0], *parts[1:][::order]]) + ")") == expected
