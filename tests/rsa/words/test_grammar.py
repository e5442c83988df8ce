"""The weighted grammar: which alternatives slots allow, one speaker's habits, errors with their place."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from chorewright.errors import InputError
from chorewright.files.json_source import parse_json
from chorewright.rsa.household.directives import load_grammar
from chorewright.rsa.words.grammar import (
    Grammar,
    GrammarRule,
    GrammarSlot,
    RuleChoice,
    Style,
    expansions,
    literal,
    parse_grammar,
)


def grammar(rules: str) -> Grammar:
    return parse_grammar(parse_json(f'{{"rules": {rules}}}'))


def style(rules: str, seed: int = 0) -> Style:
    return Style(grammar(rules), np.random.default_rng(seed))


def test_rules_slots_and_branches() -> None:
    speaker = style('{"greet": {"[hi] {name}(!|.)": 1}, "hi": {"hello": 1}}')
    assert {speaker.say("greet", {"name": "Ann"}) for _ in range(30)} == {"hello Ann!", "hello Ann."}


def test_only_what_the_slots_allow() -> None:
    rules = '{"go": {"[to] {place}": 1, "stay": 1}, "to": {"back to{again}": 1}}'
    speaker = style(rules)
    assert {speaker.say("go", {"place": "bed", "again": ""}) for _ in range(20)} == {"stay"}
    assert {speaker.say("go", {"place": "bed", "again": " "}) for _ in range(20)} == {"stay", "back to  bed"}
    assert speaker.grammar.can_say("to", {"again": " "})
    assert not speaker.grammar.can_say("to", {})


def test_slots_are_worded_anew() -> None:
    count = iter(range(9))
    assert style('{"a": {"{n} {n}": 1}}').say("a", {"n": lambda: str(next(count))}) == "0 1"


def test_weights_are_shares() -> None:
    rules = '{"a": {"x": 8, "y": 1, "(z*3|w)": 1}}'
    found = Counter(style(rules, seed).say("a", {}) for seed in range(3000))
    assert found["x"] > 5 * found["y"] > 0
    assert found["z"] > found["w"] > 0


def test_sharpness_is_a_power_of_all_weights() -> None:
    sharp = parse_grammar(parse_json('{"sharpness": 2, "rules": {"a": {"x": 3, "(y*3|z)": 1}}}'))
    plain, choice = sharp.rules["a"]
    assert (plain.weight, choice.weight) == (9, 1)
    assert isinstance(choice.parts[0], RuleChoice)
    assert [each.weight for each in choice.parts[0].branches] == [9, 1]


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ('{"a": {"[b]": 1}}', "no rule [b]"),
        ('{"a": {"(x|y": 1}}', "never closed"),
        ('{"a": {"x)": 1}}', "outside"),
        ('{"a": {"{x": 1}}', "no partner"),
        ('{"a": {}}', "at least one text"),
        ('{"a": {"x": "often"}}', "number"),
    ],
)
def test_errors_name_the_place(rules: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        grammar(rules)
    assert caught.value.location is not None
    assert caught.value.location.line == 1


def test_nothing_to_say() -> None:
    with pytest.raises(InputError, match=r"\[a\]"):
        style('{"a": {"{x}": 1}}').say("a", {})


@pytest.mark.parametrize("name", ["directives", "goals"])
def test_shipped_rules_do_not_turn_in_circles(name: str) -> None:
    known = load_grammar(name)

    def rules_of(parts: tuple[str | GrammarSlot | GrammarRule | RuleChoice, ...]) -> set[str]:
        named = {part.name for part in parts if isinstance(part, GrammarRule)}
        branches = [each.parts for part in parts if isinstance(part, RuleChoice) for each in part.branches]
        return named.union(*map(rules_of, branches))

    def walk(rule: str, above: tuple[str, ...]) -> None:
        assert rule not in above, (*above, rule)
        for alternative in known.rules[rule]:
            for each in rules_of(alternative.parts):
                walk(each, (*above, rule))

    for rule in known.rules:
        walk(rule, ())
    assert all(each.weight > 0 for alternatives in known.rules.values() for each in alternatives)


@pytest.mark.parametrize(
    ("pattern", "yields"),
    [
        ("plain words", {"plain words"}),
        ("(a|b|c)", {"a", "b", "c"}),
        ("a( b|*1.5)", {"a", "a b"}),
        ("(the (old|new)|any) cup", {"the old cup", "the new cup", "any cup"}),
        ("[done]", {"done", "so done", "very much done", "very well done"}),
        ("(|x, )y", {"y", "x, y"}),
        ("salad (a plate, 1 tomato)", {"salad (a plate, 1 tomato)"}),
        ("get {item}( for {whom}|*0)", {"get the mug"}),
        ("get it( from {item}|*0)", {"get it from the mug"}),
        (literal("[a] (b|c) {item}"), {"[a] (b|c) item"}),
    ],
)
def test_a_speaker_without_habits_fills_in_texts(pattern: str, yields: set[str]) -> None:
    rules = grammar('{"very": ["so", "very (much|well)"], "done": ["done", "[very] done"]}')
    speaker = Style(rules, np.random.default_rng(0), habit=0)
    assert {speaker.fill(pattern, {"item": "the mug"}) for _ in range(200)} == yields


def test_a_speaker_without_habits_says_what_is_equally_likely_equally_often() -> None:
    speaker = Style(grammar('{"x": ["a", "b", "b", "(c|*1.5)"]}'), np.random.default_rng(0), habit=0)
    found = Counter(speaker.say("x", {}) for _ in range(4000))
    assert [round(found[each] / 1000) for each in "ab"] == [1, 2]
    assert 0.35 < found["c"] / (found["c"] + found[""]) < 0.45


@pytest.mark.parametrize("pattern", ["(a|b", "a)", "[a", "a]", "(a]", "[b]", "{a"])
def test_patterns_with_errors_are_refused(pattern: str) -> None:
    with pytest.raises(InputError):
        grammar('{"a": ["b"]}').pattern(pattern)


def test_all_expansions_of_a_text() -> None:
    assert list(expansions("(a|b) (x|(y|z))")) == ["a x", "a y", "a z", "b x", "b y", "b z"]
