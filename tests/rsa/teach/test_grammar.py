"""The grammar of sentences: what patterns yield, and what is refused."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from chorewright.errors import InputError
from chorewright.rsa.teach.grammar import parse_grammar, parse_pattern, tidied

GROUPS = {"very": ["so", "very (much|well)"], "done": ["done", "<very> done"]}
GRAMMAR = parse_grammar({"ok": "Acknowledge", "q": "Confirm"}, GROUPS, {"x": ["ok> {item}. // q> right?", "ok> yes."]})


@pytest.mark.parametrize(
    ("pattern", "yields"),
    [
        ("plain words", {"plain words"}),
        ("(a|b|c)", {"a", "b", "c"}),
        ("a[ b]", {"a", "a b"}),
        ("a[ b| c]", {"a", "a b", "a c"}),
        ("(the (old|new)|any) cup", {"the old cup", "the new cup", "any cup"}),
        ("<done>", {"done", "so done", "very much done", "very well done"}),
        ("(|x, )y", {"y", "x, y"}),
        ("salad (a plate, 1 tomato)", {"salad (a plate, 1 tomato)"}),
        ("get {item}[ now]", {"get the mug", "get the mug now"}),
        ("a[(b|c)[d]]", {"a", "ab", "ac", "abd", "acd"}),
    ],
)
def test_a_pattern_yields_all_that_it_says_and_nothing_else(pattern: str, yields: set[str]) -> None:
    rng = np.random.default_rng(0)
    assert {GRAMMAR.phrase(pattern, {"item": "the mug"}, rng) for _ in range(200)} == yields


def test_choices_are_as_many_as_their_product() -> None:
    parts = [("a", "b"), ("c", "d", "e"), ("f", "")]
    pattern = "".join(f"({'|'.join(options)})" for options in parts)
    rng = np.random.default_rng(1)
    assert {GRAMMAR.phrase(pattern, {}, rng) for _ in range(300)} == {"".join(each) for each in product(*parts)}


@pytest.mark.parametrize("pattern", ["(a|b", "a)", "[a", "a]", "(a]", "[a|(b]"])
def test_brackets_that_do_not_match_are_refused(pattern: str) -> None:
    with pytest.raises(InputError):
        parse_pattern(pattern)


@pytest.mark.parametrize(
    ("groups", "line", "words"),
    [
        ({}, "no mark", "mark of an act"),
        ({}, "zz> hello", "known: ok"),
        ({}, "ok> <nothing>", "no group <nothing>"),
        ({"a": ["<b>"], "b": ["<a>"]}, "ok> <a>", "part of itself"),
        ({"a": ["<c>"]}, "ok> <a>", "no group <c>"),
    ],
)
def test_lines_with_errors_are_refused(groups: dict[str, list[str]], line: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_grammar({"ok": "Acknowledge"}, groups, {"x": [line]})
    assert words in f"{caught.value.message} {caught.value.hint}"


def test_only_sentences_whose_slots_are_given_are_said() -> None:
    rng = np.random.default_rng(0)
    assert {GRAMMAR.say("x", {}, rng)[0].text for _ in range(20)} == {"yes."}
    said = {tuple((each.act, each.text) for each in GRAMMAR.say("x", {"item": "mugs"}, rng)) for _ in range(40)}
    assert said == {(("Acknowledge", "yes."),), (("Acknowledge", "mugs."), ("Confirm", "right?"))}
    assert GRAMMAR.can_say("x", {})
    assert not GRAMMAR.can_say("y", {})


@pytest.mark.parametrize(
    ("text", "said"),
    [("a  b ,c", "a b,c"), ("a, , b", "a, b"), ("a ,.", "a."), (" a ?", "a?")],
)
def test_text_is_tidied(text: str, said: str) -> None:
    assert tidied(text) == said
