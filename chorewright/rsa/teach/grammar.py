"""A small grammar of sentences: choices, optional parts and named groups of words, read from data.

A pattern is text with ``(a|b|c)`` for one of several, ``[x]`` or ``[a|b]`` for something that may be left out,
``<name>`` for any pattern of a group, and ``{slot}`` for what the speaker fills in. They nest. A parenthesis without
``|`` is itself. A sentence is made of parts with a dialogue act each::

    okay> <okay>, I have {item}. // next> What <now>?

Acts have short marks before ``>``; ``//`` separates the parts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from chorewright.errors import InputError
from chorewright.rsa.words.lexicon import pick

OPTIONAL = 0.4
"""How often an optional part is said."""

DEEPEST = 20
"""Groups within groups, beyond which they are taken to go round in a circle."""

_TOKEN = re.compile(r"\(|\)|\[|\]|\||<[\w ]+>|\{[\w ]+\}|[^()\[\]|<{]+|.")

Node: TypeAlias = "str | _Choice | _Option | _Group | _Slot"


@dataclass(frozen=True, slots=True)
class _Choice:
    options: tuple[tuple[Node, ...], ...]


@dataclass(frozen=True, slots=True)
class _Option:
    part: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class _Group:
    name: str


@dataclass(frozen=True, slots=True)
class _Slot:
    name: str


@dataclass(frozen=True, slots=True)
class Saying:
    """A part of an utterance: its dialogue act and its words."""

    act: str
    text: str


@dataclass(frozen=True, slots=True)
class Pattern:
    """A sentence to be filled in: for each part its act and its nodes."""

    parts: tuple[tuple[str, tuple[Node, ...]], ...]
    slots: frozenset[str]


@dataclass(frozen=True, slots=True)
class Grammar:
    """Patterns of sentences by situation, and groups of words.

    Attributes:
        groups: The patterns of each group.
        lines: The sentences of each situation.
    """

    groups: Mapping[str, tuple[tuple[Node, ...], ...]]
    lines: Mapping[str, tuple[Pattern, ...]]
    singles: dict[str, tuple[Node, ...]] = field(default_factory=dict, compare=False, repr=False)

    def say(self, name: str, slots: Mapping[str, str], rng: np.random.Generator) -> tuple[Saying, ...]:
        """Return a sentence for a situation, one whose slots are all given."""
        usable = [line for line in self.lines[name] if all(slots.get(each) for each in line.slots)]
        line = pick(usable, rng)
        return tuple(Saying(act, tidied(self._expand(nodes, slots, rng))) for act, nodes in line.parts)

    def can_say(self, name: str, slots: Mapping[str, str]) -> bool:
        """Whether there is a sentence for a situation with these slots."""
        return any(all(slots.get(each) for each in line.slots) for line in self.lines.get(name, ()))

    def slots_of(self, text: str) -> frozenset[str]:
        """Return the slots that a pattern may need."""
        return frozenset(_slots(self._nodes(text), self.groups))

    def phrase(self, text: str, slots: Mapping[str, str], rng: np.random.Generator) -> str:
        """Return a pattern's words; a slot that is not given stays as it is."""
        return tidied(self._expand(self._nodes(text), slots, rng))

    def _nodes(self, text: str) -> tuple[Node, ...]:
        nodes = self.singles.get(text)
        if nodes is None:
            nodes = self.singles[text] = parse_pattern(text)
        return nodes

    def _expand(self, nodes: Sequence[Node], slots: Mapping[str, str], rng: np.random.Generator) -> str:
        said = []
        for node in nodes:
            match node:
                case str():
                    said.append(node)
                case _Slot(name):
                    said.append(slots.get(name, f"{{{name}}}"))
                case _Group(name):
                    said.append(self._expand(pick(self.groups[name], rng), slots, rng))
                case _Option(part):
                    said.append(self._expand(part, slots, rng) if rng.random() < OPTIONAL else "")
                case _Choice(options):
                    said.append(self._expand(pick(options, rng), slots, rng))
        return "".join(said)


def tidied(text: str) -> str:
    """Return text with single blanks, and none before a comma or full stop."""
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"\s+([,.;:?!])", r"\1", text)
    return re.sub(r",+([.?!])", r"\1", re.sub(r"(,\s*)+,", ",", text))


def parse_grammar(
    acts: Mapping[str, str], groups: Mapping[str, Sequence[str]], lines: Mapping[str, Sequence[str]]
) -> Grammar:
    """Read a grammar.

    Args:
        acts: The dialogue act of each mark.
        groups: The patterns of each group of words.
        lines: The sentences of each situation.

    Raises:
        InputError: A bracket is not closed, a mark or group is unknown, or groups go round in a circle.
    """
    parsed = {name: tuple(parse_pattern(text) for text in texts) for name, texts in groups.items()}
    for name in parsed:
        _check(name, parsed, ())
    sentences = {name: tuple(_line(text, acts, parsed) for text in texts) for name, texts in lines.items()}
    return Grammar(parsed, sentences)


def _line(text: str, acts: Mapping[str, str], groups: Mapping[str, tuple[tuple[Node, ...], ...]]) -> Pattern:
    parts = []
    for part in text.split(" // "):
        mark, sign, words = part.partition("> ")
        if not sign or mark not in acts:
            raise InputError(
                f"a sentence begins with the mark of an act, not {part!r}", hint=f"known: {', '.join(acts)}"
            )
        nodes = parse_pattern(words)
        for name in _groups(nodes):
            if name not in groups:
                raise InputError(f"there is no group <{name}> in {text!r}")
        parts.append((acts[mark], nodes))
    return Pattern(tuple(parts), frozenset(name for _, nodes in parts for name in _slots(nodes, groups)))


def _check(name: str, groups: Mapping[str, tuple[tuple[Node, ...], ...]], above: tuple[str, ...]) -> None:
    if name not in groups:
        raise InputError(f"there is no group <{name}> in <{above[-1]}>")
    if name in above or len(above) > DEEPEST:
        raise InputError(f"the group <{name}> is a part of itself")
    for option in groups[name]:
        for inner in _groups(option):
            _check(inner, groups, (*above, name))


def _groups(nodes: Sequence[Node]) -> list[str]:
    return [node.name for node in _all(nodes) if isinstance(node, _Group)]


def _slots(nodes: Sequence[Node], groups: Mapping[str, tuple[tuple[Node, ...], ...]]) -> list[str]:
    """Return the slots that may be needed, those of groups, choices and options among them."""
    found = [node.name for node in _all(nodes) if isinstance(node, _Slot)]
    for name in _groups(nodes):
        found += [slot for option in groups[name] for slot in _slots(option, groups)]
    return found


def _all(nodes: Sequence[Node]) -> list[Node]:
    found: list[Node] = []
    for node in nodes:
        found.append(node)
        if isinstance(node, _Choice):
            found += [inner for option in node.options for inner in _all(option)]
        elif isinstance(node, _Option):
            found += _all(node.part)
    return found


def parse_pattern(text: str) -> tuple[Node, ...]:
    """Read one pattern.

    Raises:
        InputError: A bracket is not closed or not opened.
    """
    tokens = _TOKEN.findall(text)
    nodes, place = _sequence(tokens, 0, text)
    if place < len(tokens):
        raise InputError(f"{tokens[place]!r} closes nothing in {text!r}")
    return nodes


def _sequence(tokens: Sequence[str], place: int, text: str, within: bool = False) -> tuple[tuple[Node, ...], int]:
    """Read nodes up to what ends them: a closing bracket, a ``|`` within brackets, or the end."""
    nodes: list[Node] = []
    while place < len(tokens):
        token = tokens[place]
        if token in (")", "]") or (token == "|" and within):
            break
        place += 1
        if token == "(":
            options, place = _options(tokens, place, text, ")")
            nodes += [_Choice(options)] if len(options) > 1 else ["(", *options[0], ")"]
        elif token == "[":
            options, place = _options(tokens, place, text, "]")
            nodes.append(_Option((_Choice(options),) if len(options) > 1 else options[0]))
        elif token.startswith("<") and len(token) > 1:
            nodes.append(_Group(token[1:-1]))
        elif token.startswith("{") and len(token) > 1:
            nodes.append(_Slot(token[1:-1]))
        else:
            nodes.append(token)
    return tuple(nodes), place


def _options(tokens: Sequence[str], place: int, text: str, closing: str) -> tuple[tuple[tuple[Node, ...], ...], int]:
    """Read alternatives up to a closing bracket, and step over it."""
    options = []
    while True:
        option, place = _sequence(tokens, place, text, True)
        options.append(option)
        if place < len(tokens) and tokens[place] == "|":
            place += 1
            continue
        if place >= len(tokens) or tokens[place] != closing:
            raise InputError(f"{closing!r} is missing in {text!r}")
        return tuple(options), place + 1
