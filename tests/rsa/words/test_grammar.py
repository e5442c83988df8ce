"""The weighted grammar: which alternatives slots allow, one speaker's habits, errors with their place."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from chorewright.errors import InputError
from chorewright.files.json_source import parse_json
from chorewright.rsa.household.directives import shipped_grammar
from chorewright.rsa.words.grammar import Choice, Grammar, Rule, Slot, Style, parse_grammar


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
    assert isinstance(choice.parts[0], Choice)
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
    known = shipped_grammar(name)

    def rules_of(parts: tuple[str | Slot | Rule | Choice, ...]) -> set[str]:
        named = {part.name for part in parts if isinstance(part, Rule)}
        branches = [each.parts for part in parts if isinstance(part, Choice) for each in part.branches]
        return named.union(*map(rules_of, branches))

    def walk(rule: str, above: tuple[str, ...]) -> None:
        assert rule not in above, (*above, rule)
        for alternative in known.rules[rule]:
            for each in rules_of(alternative.parts):
                walk(each, (*above, rule))

    for rule in known.rules:
        walk(rule, ())
    assert all(each.weight > 0 for alternatives in known.rules.values() for each in alternatives)
