"""Formatted PDDL means the same, keeps every word and comment, and is not changed by formatting it again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.corpora.reference import SAMPLE, sample
from chorewright.domains.pddl import load_domain, load_problem, parse_domain, parse_problem, write_domain, write_problem
from chorewright.domains.pddl.formatting import format_pddl
from chorewright.domains.pddl.syntax import Domain
from chorewright.errors import InputErrors
from tests.command import ROOT
from tests.domains.pddl.test_competition_files import PROBLEMS
from tests.domains.pddl.test_writer import domains

DOMAINS = sorted({str(path.parent.relative_to(SAMPLE)) for path in map(sample, PROBLEMS)})
SHIPPED = sorted((ROOT / "chorewright" / "domains").glob("*/*.pddl"))

TOKEN = re.compile(r"""(;[^\n]*)|[()]|"[^"\n]*"|[^\s();"?]+|\?[^\s();"?]*""")


def tokens(text: str) -> list[str]:
    """Words and parentheses, found in another way than the formatter does; comments left out."""
    return [match.group() for match in TOKEN.finditer(text) if match[1] is None]


def comments(text: str) -> list[str]:
    return [match.group().rstrip() for match in TOKEN.finditer(text) if match[1] is not None]


def check_formatted(text: str) -> str:
    """Format a text, check what holds of every one, and return it formatted."""
    found = format_pddl(text)
    assert tokens(found) == tokens(text)
    assert comments(found) == comments(text)
    assert format_pddl(found) == found
    assert all(line == line.rstrip() for line in found.split("\n"))
    return found


@pytest.mark.parametrize("folder", DOMAINS)
def test_a_formatted_competition_domain_means_the_same(folder: str) -> None:
    path = sample(folder) / "domain.pddl"
    found = check_formatted(path.read_text("utf-8", errors="surrogateescape"))
    assert parse_domain(found) == load_domain(path)


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_formatted_competition_problem_means_the_same(name: str) -> None:
    path = sample(name)
    domain = load_domain(path.parent / "domain.pddl")
    found = check_formatted(path.read_text("utf-8", errors="surrogateescape"))
    assert parse_problem(found, domain) == load_problem(path, domain)
    assert (
        check_formatted(write_problem(parse_problem(found, domain))).split()
        == write_problem(parse_problem(found, domain)).split()
    )


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_shipped_file_keeps_its_words_and_comments(path: Path) -> None:
    check_formatted(path.read_text("utf-8"))


@settings(max_examples=150, deadline=None)
@given(domains())
def test_what_is_written_is_formatted_already(domain: Domain) -> None:
    text = write_domain(domain)
    found = check_formatted(text)
    assert parse_domain(found) == domain
    assert "\n".join(line for line in found.splitlines() if line) == "\n".join(
        line for line in text.splitlines() if line
    )


WORDS = st.sampled_from(
    [
        "and",
        "forall",
        "define",
        ":action",
        ":init",
        ":types",
        ":parameters",
        "-",
        "=",
        "?x",
        "name",
        "a" * 60,
        '"it is"',
    ]
)
GAPS = st.sampled_from([" ", "\n", "\n\n\n", " ; a comment\n", "\n; alone \n", "\n\n ;; after a blank line\n", "\t;\n"])


@st.composite
def nested(draw: st.DrawFn, depth: int = 3) -> str:
    """A list of lists and words with comments in all places."""
    parts = draw(st.lists(WORDS if depth == 0 else WORDS | nested(depth - 1), max_size=5))
    gaps = [draw(GAPS) for _ in range(len(parts) + 1)]
    return "(" + gaps[0] + "".join(part + gap for part, gap in zip(parts, gaps[1:], strict=True)) + ")"


@settings(max_examples=500, deadline=None)
@given(st.lists(st.tuples(nested(), GAPS), min_size=1, max_size=2))
def test_any_lists_with_comments_anywhere(parts: list[tuple[str, str]]) -> None:
    text = "; first\n" + "".join(part + gap for part, gap in parts)
    try:
        found = format_pddl(text)
    except InputErrors:  # sections outside of a definition, which the parser repairs
        return
    assert tokens(found) == tokens(text)
    assert sorted(comments(found)) == sorted(comments(text))
    assert format_pddl(found) == found
