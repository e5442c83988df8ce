"""Hostile and huge inputs: a clear error of ours or a fast success, never a traceback or a hang."""

from __future__ import annotations

import gzip
import subprocess
import sys
import time
from pathlib import Path

import pytest

from chorewright.domains.pddl import load_domain, parse_domain, parse_problem, write_problem
from chorewright.domains.pddl.grammar import MAX_DEPTH
from chorewright.errors import ChorewrightError, InputErrors, LimitError, UsageError, render

DOMAIN = """(define (domain d)
  (:types t)
  (:predicates (p ?x - t) (q))
  (:action a :parameters (?x - t) :precondition (p ?x) :effect (q)))"""


def nested(levels: int) -> str:
    return f"(define (problem x) (:domain d) (:goal {'(not ' * levels}(q){')' * levels}))"


@pytest.mark.parametrize("text", ["(" * 100_000, "(" * 100_000 + ")" * 100_000, nested(100_000)])
def test_deep_nesting_is_a_limit_error_with_the_figures(text: str) -> None:
    with pytest.raises(LimitError, match=f"nest 10000[0-9] levels deep; the limit is {MAX_DEPTH}"):
        parse_problem(text, parse_domain(DOMAIN))


def test_nesting_up_to_the_limit_is_fine_everywhere() -> None:
    domain = parse_domain(DOMAIN)
    problem = parse_problem(nested(MAX_DEPTH - 3), domain)
    assert parse_problem(write_problem(problem), domain) == problem
    assert hash(problem) == hash(problem)
    assert repr(problem)


def test_a_hundred_thousand_objects_and_atoms() -> None:
    objects = " ".join(f"o{number}" for number in range(100_000))
    atoms = "\n".join(f"(p o{number})" for number in range(100_000))
    text = f"(define (problem x) (:domain d) (:objects {objects} - t) (:init {atoms}) (:goal (p o7)))"
    domain = parse_domain(DOMAIN)
    start = time.process_time()
    problem = parse_problem(text, domain)
    assert time.process_time() - start < 5, "quadratic?"
    assert len(problem.objects) == len(problem.init) == 100_000


@pytest.mark.parametrize("broken", ["- u", "- t) (:goal (p zz)) (:init (p a", ") (:init (p o1) (zz) (p"])
def test_errors_in_huge_problems_are_found_fast(broken: str) -> None:
    objects = " ".join(f"o{number}" for number in range(50_000))
    atoms = " ".join(f"(p o{number})" for number in range(50_000, 100_000))
    text = f"(define (problem x) (:domain d) (:objects {objects} {broken}) (:init {atoms}))"
    domain = parse_domain(DOMAIN)
    start = time.process_time()
    with pytest.raises(InputErrors) as caught:
        parse_problem(text, domain)
    assert time.process_time() - start < 10, "quadratic?"
    assert len(caught.value.errors) <= 60
    assert len(render(caught.value)) < 60_000


@pytest.mark.parametrize("text", [")" * 50_000, "(a " * 150 + ")" * 50_000, "(:a " * 20_000, ":a " * 20_000])
def test_many_wrong_parentheses_are_found_fast(text: str) -> None:
    start = time.process_time()
    with pytest.raises((InputErrors, LimitError)):
        parse_domain(text)
    assert time.process_time() - start < 10, "quadratic?"


def test_an_action_with_fifty_parameters() -> None:
    names = " ".join(f"?x{number}" for number in range(50))
    conditions = " ".join(f"(p ?x{number})" for number in range(50))
    text = DOMAIN.replace("(?x - t)", f"({names} - t)").replace(
        "precondition (p ?x)", f"precondition (and {conditions})"
    )
    (action,) = parse_domain(text).actions
    assert len(action.parameters) == 50


@pytest.mark.parametrize("count", ["1000000000000", "9" * 50_000, "-1", "1.5", "²"])
def test_at_least_takes_only_reasonable_whole_numbers(count: str) -> None:
    text = f"(define (problem x) (:domain d) (:goal (at-least {count} (?x - t) (p ?x))))"
    with pytest.raises(InputErrors):
        parse_problem(text, parse_domain(DOMAIN))


BYTES = [
    (b"\xef\xbb\xbf" + DOMAIN.encode(), None),
    (DOMAIN.replace("\n", "\r\n").encode(), None),
    (DOMAIN.replace("\n", "\r").encode(), None),
    (DOMAIN.upper().encode(), None),
    (b"; J\xf6rg\n" + DOMAIN.encode(), None),
    ("; Größe 中\n".encode() + DOMAIN.encode(), None),
    (DOMAIN.replace("(q)", "(q\0)", 1).encode(), "3:29: a NUL character cannot stand here"),
    (DOMAIN.replace("(q)", "(q\xf6)", 1).encode("latin-1"), "3:29: a byte here is not UTF-8"),
    (DOMAIN.replace("(q)", "(qö)", 1).encode(), "3:29: the character 'ö' cannot stand in PDDL"),
    (DOMAIN.encode("utf-16"), "1:1: not UTF-8 text, but UTF-16 text: save it as UTF-8"),
    (b"", "1:1: nothing is here: a domain is expected"),
    (b" \n\t; nothing\n", "1:1: nothing is here"),
    (b"\x1b[31m(define", "1:1: the character 'U+001B' cannot stand in PDDL"),
]


@pytest.mark.parametrize(("data", "message"), BYTES)
def test_encodings(data: bytes, message: str | None, tmp_path: Path) -> None:
    path = tmp_path / "domain.pddl"
    path.write_bytes(data)
    if message is None:
        assert load_domain(path) == parse_domain(DOMAIN)
        return
    with pytest.raises(InputErrors) as caught:
        load_domain(path)
    assert str(caught.value.errors[0]).startswith(f"{path}:{message}")
    assert all(line.isprintable() for line in render(caught.value).splitlines())


# Of an unreadable text, nothing is said that is only so because it cannot be read.
STRANGE = [
    (b"\0\0" + DOMAIN.encode(), ["1:1: a NUL character cannot stand here"]),
    (b"\x7fELF\x01\0\0" + DOMAIN.encode(), ["1:1: not UTF-8 text, but a program"]),
    (DOMAIN.encode("utf-16-le"), ["1:1: not UTF-8 text, but UTF-16 text: save it as UTF-8"]),
    (DOMAIN.encode("utf-16-be"), ["1:1: not UTF-8 text, but UTF-16 text: save it as UTF-8"]),
    (DOMAIN.encode("utf-32"), ["1:1: not UTF-8 text, but UTF-32 text: save it as UTF-8"]),
    (bytes(range(256)) * 4, ["1:1: not UTF-8 text, but binary"]),
    (gzip.compress(DOMAIN.encode()), ["1:1: not UTF-8 text, but a compressed file (gzip)"]),
    (DOMAIN.replace("(q)", "(q\0q)").encode(), ["3:29: a NUL character cannot stand here"]),
    (DOMAIN.replace("(q)", "(qö)").replace("(define", "ß (define").encode(),
     ["1:1: the character 'ß' cannot stand in PDDL", "3:29: the character 'ö' cannot stand in PDDL"]),
    (DOMAIN.replace("(q)", "(\0\0)", 1).replace(":effect (q)", ":effect (r)").encode(),
     ["3:28: a NUL character cannot stand here", "4:65: the predicate 'r' is not declared"]),
]  # fmt: skip


@pytest.mark.parametrize(("data", "messages"), STRANGE)
def test_strange_characters_are_said_once(data: bytes, messages: list[str], tmp_path: Path) -> None:
    path = tmp_path / "domain.pddl"
    path.write_bytes(data)
    with pytest.raises(InputErrors) as caught:
        load_domain(path)
    assert [str(error).removeprefix(f"{path}:") for error in caught.value.errors] == messages


def test_no_empty_line_is_shown() -> None:
    with pytest.raises(InputErrors) as caught:
        parse_domain(" \n", "empty.pddl")
    assert render(caught.value).splitlines() == [
        "empty.pddl:1:1: nothing is here: a domain is expected", "  hint: (define (domain name) ...)",
    ]  # fmt: skip


@pytest.mark.parametrize("name", [".", "missing.pddl", "a\0b"])
def test_unreadable_files(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read the file"):
        load_domain(f"{tmp_path}/{name}")


def test_error_messages_of_long_lines_are_short() -> None:
    text = (
        DOMAIN.replace("\n", " ")
        .replace("(q)", f"{' ' * 5000}(q) {' ' * 5000}", 1)
        .replace(":effect (q)", ":effect (r)")
    )
    with pytest.raises(ChorewrightError) as caught:
        parse_domain(text, "long.pddl")
    message, line, caret, _ = render(caught.value).splitlines()
    assert "is not declared" in message
    assert len(line) < 130
    assert line[caret.index("^")] == "r"


def test_lark_is_imported_only_to_parse() -> None:
    code = "import sys, chorewright.domains.pddl; sys.exit('lark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
