"""A weighted grammar of sentences: rules in a data file, and one speaker's way through them.

A rule has alternatives with weights. In their text ``{name}`` stands for what a slot says, ``[name]`` for an
expansion of another rule, and ``(one|other|)`` for one of several branches, ``one*3`` being three times as likely::

    "fetch": {"[lift] {object} [from] {place}": 4, "(go and |)get {object}": 1}

A list of texts is a rule whose alternatives are all equally likely. What weighs 0 is said where nothing else can be:
``(, {n} of them|*0)`` is left out without a number. A bracket without ``|`` is itself.
A grammar's ``sharpness`` is a power that all its weights are raised to: above 1, what is common becomes more common.
An alternative that speaks of a slot without a value is left out, so the slots that are there choose the frames. A
``Style`` is one speaker: it weighs all alternatives anew, so that each speaker has habits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TypeAlias

import numpy as np

from chorewright.errors import InputError
from chorewright.files.english import did_you_mean
from chorewright.files.json_node import Node, root
from chorewright.files.json_source import JsonSource

Slots: TypeAlias = Mapping[str, str | Callable[[], str]]
"""What the slots say: text, or a function that words it anew each time. Empty text is no value."""

HABIT = 0.4
"""How far speakers differ: the deviation of the logarithm of an alternative's weight."""

_SIGNS = "()[]|"

_TOKEN = re.compile(r"\{(?P<slot>[^{}]*)\}|\[(?P<rule>[^\[\]]*)\]|(?P<mark>[()|])|(?P<text>[^{}\[\]()|]+)|(?P<bad>.)")


@dataclass(frozen=True, slots=True)
class GrammarSlot:
    """A place for what a slot says."""

    name: str


@dataclass(frozen=True, slots=True)
class GrammarRule:
    """A place for an expansion of a rule."""

    name: str


@dataclass(frozen=True, slots=True)
class RuleChoice:
    """A place for one of several branches; ``number`` tells the choices of a grammar apart."""

    number: int
    branches: tuple[Alternative, ...]


@dataclass(frozen=True, slots=True)
class Alternative:
    """A sequence of parts with its weight."""

    weight: float
    parts: tuple[str | GrammarSlot | GrammarRule | RuleChoice, ...]


@dataclass(slots=True)
class _Parser:
    """Reads the text of one alternative; ``count`` numbers the grammar's choices, ``refuse`` makes errors."""

    tokens: list[re.Match[str]]
    count: list[int]
    sharpness: float
    refuse: Callable[[str, str | None], InputError]
    place: int = 0

    def parts(self, depth: int) -> tuple[str | GrammarSlot | GrammarRule | RuleChoice, ...]:
        found: list[str | GrammarSlot | GrammarRule | RuleChoice] = []
        while self.place < len(self.tokens):
            token = self.tokens[self.place]
            if token["bad"]:
                raise self.refuse(f"{token['bad']!r} at column {token.start() + 1} has no partner", None)
            if token["mark"] and token["mark"] in "|)":
                if not depth:
                    raise self.refuse(f"{token['mark']!r} at column {token.start() + 1} is outside of '(...)'", None)
                return tuple(found)
            self.place += 1
            if token["mark"]:
                choice = self.choice(depth + 1)
                found += [choice] if len(choice.branches) > 1 else ["(", *choice.branches[0].parts, ")"]
            elif token["text"] is not None:
                found.append(token["text"])
            elif token["slot"] and token["slot"] in _SIGNS:
                found.append(token["slot"])
            elif token["rule"] is not None:
                found.append(GrammarRule(token["rule"]))
            else:
                found.append(GrammarSlot(token["slot"]))
        if depth:
            raise self.refuse("'(' is never closed", "write (one|other)")
        return tuple(found)

    def choice(self, depth: int) -> RuleChoice:
        self.count[0] += 1
        number = self.count[0]
        branches: list[Alternative] = []
        while True:
            parts, weight = self.parts(depth), 1.0
            last = parts[-1] if parts else ""
            weighed = re.fullmatch(r"(.*)\*(\d+(?:\.\d+)?)", last) if isinstance(last, str) else None
            if weighed:
                weight = float(weighed[2])
                parts = (*parts[:-1], weighed[1])
            branches.append(Alternative(weight**self.sharpness, parts))
            mark = self.tokens[self.place]["mark"]
            self.place += 1
            if mark == ")":
                return RuleChoice(number, tuple(branches))


@dataclass(frozen=True, slots=True)
class Grammar:
    """The rules by name. ``usable`` remembers which alternatives given slots allow, ``patterns`` what texts mean."""

    rules: Mapping[str, tuple[Alternative, ...]]
    count: list[int] = field(default_factory=lambda: [0], compare=False)
    usable: dict[tuple[object, frozenset[str]], tuple[int, ...]] = field(default_factory=dict, compare=False)
    patterns: dict[str, tuple[Alternative, ...]] = field(default_factory=dict, compare=False)

    def pattern(self, text: str) -> tuple[Alternative, ...]:
        """Return what a text in the grammar's signs says, as the only alternative.

        Raises:
            InputError: A bracket has no partner, or the text names a rule that is not there.
        """
        known = self.patterns.get(text)
        if known is None:

            def refuse(message: str, hint: str | None = None) -> InputError:
                return InputError(f"{message}: {text!r}", hint=hint)

            known = (_alternative(text, 1.0, self.count, 1.0, refuse),)
            _check(known, self.rules, refuse)
            self.patterns[text] = known
        return known

    def allow(self, key: str | int, alternatives: Sequence[Alternative], slots: frozenset[str]) -> tuple[int, ...]:
        """Return the indices of the alternatives that speak of no other slots than these."""
        known = self.usable.get((key, slots))
        if known is None:
            self.usable[key, slots] = ()  # a rule that needs itself is not usable by that
            able = [place for place, each in enumerate(alternatives) if self._says(each, slots)]
            known = tuple(place for place in able if alternatives[place].weight) or tuple(able)
            self.usable[key, slots] = known
        return known

    def _says(self, alternative: Alternative, slots: frozenset[str]) -> bool:
        for part in alternative.parts:
            if isinstance(part, GrammarSlot) and part.name not in slots:
                return False
            if isinstance(part, GrammarRule) and not self.allow(part.name, self.rules[part.name], slots):
                return False
            if isinstance(part, RuleChoice) and not self.allow(part.number, part.branches, slots):
                return False
        return True

    def can_say(self, rule: str, slots: Slots) -> bool:
        """Whether a rule has an expansion with these slots."""
        return rule in self.rules and bool(self.allow(rule, self.rules[rule], filled_slots_of(slots)))

    def can_fill(self, text: str, slots: Slots) -> bool:
        """Whether a text in the grammar's signs says something with these slots."""
        return bool(self.allow(text, self.pattern(text), filled_slots_of(slots)))


def filled_slots_of(slots: Slots) -> frozenset[str]:
    """Return the names of the slots that have a value."""
    return frozenset(name for name, value in slots.items() if value != "")


def parse_grammar(source: JsonSource) -> Grammar:
    """Read a grammar from JSON: ``{"sharpness": 1, "rules": {name: {text: weight}}}``.

    Raises:
        InputError: It is no such file, a bracket has no partner, or a text names a rule that is not there.
    """
    whole = root(source)
    sharpness = node.number() if (node := whole.get("sharpness")) is not None else 1.0
    return grammar_of(dict(whole["rules"].members()), sharpness)


def grammar_of(nodes: Mapping[str, Node], sharpness: float = 1.0) -> Grammar:
    """Read a grammar's rules: texts with weights, or lists of texts; raises as ``parse_grammar``."""
    count = [0]
    rules: dict[str, tuple[Alternative, ...]] = {}
    for name, node in nodes.items():
        if isinstance(node.value, list):
            texts = [(each.text(), 1.0, each) for each in node.items()]
        else:
            texts = [(text, each.number(), each) for text, each in node.members("texts with weights")]
        if not texts:
            raise node.expected("at least one text with its weight")
        rules[name] = tuple(_alternative(text, weight, count, sharpness, each.error) for text, weight, each in texts)
    for name, node in nodes.items():
        _check(rules[name], rules, node.error)
    return Grammar(rules, count)


def _alternative(
    text: str, weight: float, count: list[int], sharpness: float, refuse: Callable[[str, str | None], InputError]
) -> Alternative:
    parser = _Parser(list(_TOKEN.finditer(text)), count, sharpness, refuse)
    return Alternative(weight**sharpness, parser.parts(0))


def _check(
    alternatives: Sequence[Alternative], rules: Mapping[str, object], refuse: Callable[[str, str | None], InputError]
) -> None:
    """Raise InputError if a rule is named that is not there."""
    for rule in _find_named(alternatives):
        if rule not in rules:
            raise refuse(f"there is no rule [{rule}]", did_you_mean(rule, rules))


def literal(text: str) -> str:
    """Return a text in which no sign means anything."""
    return re.sub(r"[()\[\]|]", lambda found: f"{{{found[0]}}}", re.sub(r"[{}]", "", text))


def expansions(text: str) -> Iterator[str]:
    """Yield all that a text without rules and slots may say, its first choice changing slowest."""
    (pattern,) = Grammar({}).pattern(text)
    yield from _all(pattern)


def _all(alternative: Alternative) -> Iterator[str]:
    said = [
        [each for branch in part.branches for each in _all(branch)] if isinstance(part, RuleChoice) else [str(part)]
        for part in alternative.parts
    ]
    yield from map("".join, product(*said))


def _find_named(alternatives: Sequence[Alternative]) -> list[str]:
    found: list[str] = []
    for alternative in alternatives:
        for part in alternative.parts:
            if isinstance(part, GrammarRule):
                found.append(part.name)
            elif isinstance(part, RuleChoice):
                found += _find_named(part.branches)
    return found


@dataclass(slots=True)
class Style:
    """One speaker of a grammar, with habits of its own. All chance comes from ``rng``.

    Attributes:
        grammar: What can be said.
        rng: The only source of chance.
        habit: How far the speaker's weights are from the grammar's; 0 for a speaker without habits.
        habits: The weights.
    """

    grammar: Grammar
    rng: np.random.Generator
    habit: float = HABIT
    habits: dict[str | int, list[float]] = field(default_factory=dict)

    def say(self, rule: str, slots: Slots) -> str:
        """Return an expansion of a rule.

        Raises:
            InputError: The rule is not there, or has no expansion with these slots.
        """
        return self._expand(rule, self.grammar.rules.get(rule, ()), slots, filled_slots_of(slots))

    def fill(self, text: str, slots: Slots) -> str:
        """Return what a text in the grammar's signs says; raises as ``say`` and ``Grammar.pattern``."""
        return self._expand(text, self.grammar.pattern(text), slots, filled_slots_of(slots))

    def _expand(self, key: str | int, alternatives: Sequence[Alternative], slots: Slots, there: frozenset[str]) -> str:
        allowed = self.grammar.allow(key, alternatives, there)
        if not allowed:
            raise InputError(f"the grammar has no [{key}] with {', '.join(sorted(there)) or 'no slots'}")
        chosen = alternatives[allowed[0] if len(allowed) == 1 else self._choose(key, alternatives, allowed)]
        said = []
        for part in chosen.parts:
            if isinstance(part, str):
                said.append(part)
            elif isinstance(part, GrammarSlot):
                value = slots[part.name]
                said.append(value if isinstance(value, str) else value())
            elif isinstance(part, GrammarRule):
                said.append(self._expand(part.name, self.grammar.rules[part.name], slots, there))
            else:
                said.append(self._expand(part.number, part.branches, slots, there))
        return "".join(said)

    def _choose(self, key: str | int, alternatives: Sequence[Alternative], allowed: Sequence[int]) -> int:
        if not self.habit and len({alternatives[place].weight for place in allowed}) == 1:
            return allowed[int(self.rng.integers(len(allowed)))]
        habits = self.habits.get(key)
        if habits is None and not self.habit:
            habits = [each.weight for each in alternatives]
        elif habits is None:
            noise = np.exp(self.habit * self.rng.standard_normal(len(alternatives)))
            habits = [each.weight * float(factor) for each, factor in zip(alternatives, noise, strict=True)]
            self.habits[key] = habits
        return allowed[self.draw([habits[place] for place in allowed])]

    def draw(self, weights: Sequence[float]) -> int:
        """Return the number of a weight, drawn in proportion to the weights."""
        left = float(self.rng.random()) * sum(weights)
        for number, weight in enumerate(weights):
            left -= weight
            if left < 0:
                return number
        return len(weights) - 1

    def chance(self, share: float) -> bool:
        """Return true in this share of cases."""
        return float(self.rng.random()) < share
