"""Whatever the input, the outcome is a value or errors of ours with a place inside the text."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chorewright.domains.pddl import load_domain, parse_domain, parse_problem
from chorewright.domains.pddl.syntax import Domain
from chorewright.errors import ChorewrightError, InputErrors, LimitError, render
from tests.command import ROOT

CORPUS = ROOT / "tests" / "corpus" / "pddl"
FORMS = sorted((CORPUS.parent / "forms").glob("*.pddl"))
HOUSE = (CORPUS / "house.pddl").read_text(encoding="utf-8")
PROBLEM = """(define (problem p) (:domain house)
  (:requirements :adl)
  (:objects x y - room b - ball)
  (:init (at x) (in b y) (= (far x y) 3))
  (:goal (forall (?b - ball)
    (exists (?r - (either room ball)) (and (at-least 2 (?q - room) (in ?b ?q)) (not (= ?b x))))))
  (:metric minimize (total-cost)))
"""
HOUSEHOLD = (ROOT / "chorewright" / "domains" / "household" / "domain.pddl").read_text(encoding="utf-8")
TOKEN = re.compile(r"[()]|[^\s()]+")
WORDS = TOKEN.findall(HOUSE + PROBLEM)


def prefixes(text: str) -> Iterator[str]:
    return (text[:end] for end in range(len(text)))


def single_edits(text: str) -> Iterator[str]:
    """Each token left out, doubled, swapped with the next, and replaced by a parenthesis."""
    tokens = list(TOKEN.finditer(text))
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        before, behind = text[: token.start()], text[token.end() :]
        yield before + behind
        yield f"{before}{token.group()} {token.group()}{behind}"
        yield f"{before}){behind}"
        yield f"{before}({behind}"
        if following:
            rest = text[following.end() :]
            yield f"{before}{following.group()} {token.group()}{rest}"


def check(text: str, domain: Domain | None) -> bool:
    """Parse; whether it was accepted. Errors must be ours, inside the text, and printable."""
    failure: InputErrors | LimitError | None = None
    try:
        parse_domain(text, "fuzz.pddl") if domain is None else parse_problem(text, domain, "fuzz.pddl")
    except (InputErrors, LimitError) as error:
        failure = error
    if failure is None:
        return True
    errors: tuple[ChorewrightError, ...] = failure.errors if isinstance(failure, InputErrors) else (failure,)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert errors
    for found in errors:
        assert found.hint != "look for a wrong parenthesis above", "the repair failed"
        if found.message.startswith("more errors are not shown"):
            continue
        assert found.location is not None
        assert 1 <= (found.location.line or 0) <= len(lines)
        assert 1 <= (found.location.column or 0) <= len(lines[(found.location.line or 0) - 1]) + 1
    assert all(line.isprintable() for line in render(failure).split("\n"))
    return False


@pytest.fixture(scope="module")
def house() -> Domain:
    return parse_domain(HOUSE)


def test_every_prefix(house: Domain) -> None:
    whole = [text for text in prefixes(HOUSE.rstrip()) if check(text, None)]
    assert whole == []
    whole = [text for text in prefixes(PROBLEM.rstrip()) if check(text, house)]
    assert whole == []


def test_every_single_edit(house: Domain) -> None:
    accepted = [check(text, house) for text in single_edits(PROBLEM)]
    accepted += [check(text, None) for text in single_edits(HOUSE)]
    assert sum(accepted) < len(accepted) / 4


@pytest.mark.slow
def test_every_single_edit_of_larger_domains() -> None:
    texts = [HOUSEHOLD, *(path.read_text(encoding="utf-8") for path in sorted(CORPUS.glob("*.domain.pddl")))]
    for text in texts:
        for edited in islice(single_edits(text), 0, None, 11 if text is HOUSEHOLD else 1):
            check(edited, None)


@pytest.mark.slow
def test_every_tenth_prefix_of_the_household_domain() -> None:
    assert not any(check(HOUSEHOLD[:end], None) for end in range(0, len(HOUSEHOLD.rstrip()), 10))


def random_edits(text: str, words: list[str], generator: random.Random) -> str:
    """Up to five words left out, put in, replaced or swapped."""
    found = TOKEN.findall(text)
    for _ in range(generator.choice([1, 1, 1, 2, 3, 5])):
        at, kind = generator.randrange(len(found)), generator.randrange(4)
        other = generator.choice(found if generator.random() < 0.8 else words)
        if kind == 0 and len(found) > 1:
            del found[at]
        elif kind == 1:
            found.insert(at, other)
        elif kind == 2:
            found[at] = other
        else:
            place = generator.randrange(len(found))
            found[at], found[place] = found[place], found[at]
    return generator.choice([" ", "\n"]).join(found)


@pytest.mark.parametrize("times", [2, pytest.param(100, marks=pytest.mark.slow)])
def test_edited_forms(times: int) -> None:
    generator = random.Random(times)
    forms = [path.read_text(encoding="utf-8").split("\n; ")[0] for path in FORMS]
    words = TOKEN.findall(" ".join(forms))
    slowest = 0.0
    for text in forms:
        domain_text, problem_text = text.split(";; problem\n")
        try:
            domain: Domain | None = parse_domain(domain_text)
        except InputErrors:
            domain = None
        for number in range(times):
            before = time.process_time()
            if number % 2 or domain is None:
                check(random_edits(domain_text, words, generator), None)
            else:
                check(random_edits(problem_text, words, generator), domain)
            slowest = max(slowest, time.process_time() - before)
    assert slowest < 2


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.sampled_from('()ab?:;- \n"=0\0é\ufeff\r\t\x1b\u00a0𝕏'), max_size=80))
def test_random_characters(text: str) -> None:
    check(text, None)
    check(f"(define (domain d) (:predicates (a ?b)) {text})", None)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=60))
def test_random_words(words: list[str]) -> None:
    check(" ".join(words), None)
    check(f"(define (problem p) (:domain house) {' '.join(words)}", load_domain(CORPUS / "house.pddl"))


@pytest.mark.slow
def test_ten_thousand_random_mutations(house: Domain) -> None:
    generator = random.Random(7)
    tokens = TOKEN.findall(PROBLEM), TOKEN.findall(HOUSE)
    for number in range(10_000):
        words = list(tokens[number % 2])
        for _ in range(generator.randint(1, 6)):
            at = generator.randrange(len(words))
            if generator.random() < 0.5:
                del words[at]
            else:
                words.insert(at, generator.choice(WORDS))
        check(generator.choice([" ", "\n"]).join(words), None if number % 2 else house)
