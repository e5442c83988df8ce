"""The words of dialogues, from two data files: sentences with how often they are said, and wordings of tasks.

A sentence is made of parts with a dialogue act each, whose short marks stand before ``>``; ``//`` separates the parts::

    okay> [okay], I have {item}. // next> What [now]?
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from chorewright.files.english import tidied
from chorewright.files.json_node import Node, root
from chorewright.files.json_source import parse_json
from chorewright.rsa.words.grammar import Grammar, grammar_of

COMMANDER, FOLLOWER = 0, 1
"""Agents, numbered as in TEACh's files."""


@dataclass(frozen=True, slots=True)
class Saying:
    """A part of an utterance: its dialogue act and its words."""

    act: str
    text: str


@dataclass(frozen=True, slots=True)
class Sentences:
    """The data of dialogues; the data files explain each entry."""

    styles: Mapping[str, float]
    chances: Mapping[str, Mapping[str, float]]
    talkative: tuple[float, float]
    acts: Mapping[str, str]
    grammar: Grammar
    do: Mapping[str, Sequence[str]]
    did: Mapping[str, Sequence[str]]
    tasks: Mapping[str, Sequence[str]]
    unclear: Mapping[str, Sequence[Unclear]]
    classes: Mapping[str, Sequence[str]]
    relation: Sequence[str]
    relation_in: Sequence[str]
    several: Sequence[str]
    of_several: Mapping[str, Sequence[str]]

    def sayings(self, text: str) -> tuple[Saying, ...]:
        """Return the parts of a sentence that is said."""
        marks = "|".join(map(re.escape, self.acts))
        _, *parts = re.split(rf"(?:^| // )({marks})> ", text)
        return tuple(Saying(self.acts[act], tidied(said)) for act, said in zip(parts[::2], parts[1::2], strict=True))


@dataclass(frozen=True, slots=True)
class Unclear:
    """A wording of a task that leaves something open, the question about it, and its answer."""

    task: str
    ask: str
    tell: str


def parse_sentences(text: str, tasks: str) -> Sentences:
    """Read the data of dialogues from JSON of the shape of the shipped files.

    Args:
        text: Styles, chances and sentences.
        tasks: Wordings of tasks.

    Raises:
        InputError: A text is not JSON, lacks an entry, or has a sentence with an error.
    """
    document, wordings = root(parse_json(text)), root(parse_json(tasks))
    span = [each.number() for each in document["talkative"].items("the least and the most")]
    if len(span) != 2:
        raise document["talkative"].expected("two numbers, the least and the most")
    acts, lines = document["acts"].text_table(), dict(document["lines"].members())
    for each in (each for line in lines.values() for each in line.items()):
        if unknown := [part for part in each.text().split(" // ") if part.partition("> ")[0] not in acts]:
            hint = f"known: {', '.join(acts)}"
            raise each.error(f"a sentence begins with the mark of an act, not {unknown[0]!r}", hint)
    return Sentences(
        styles=document["styles"].number_table(),
        chances={name: each.number_table() for name, each in document["chances"].members()},
        talkative=(span[0], span[1]),
        acts=acts,
        grammar=grammar_of({**dict(document["groups"].members()), **lines}),
        do=document["do"].texts_table(),
        did=document["did"].texts_table(),
        tasks=wordings["tasks"].texts_table(),
        unclear={name: tuple(map(_unclear, each.items())) for name, each in wordings["unclear"].members()},
        classes=wordings["classes"].texts_table(),
        relation=wordings["relation"].texts(),
        relation_in=wordings["relation in"].texts(),
        several=wordings["several"].texts(),
        of_several=wordings["of several"].texts_table(),
    )


def _unclear(node: Node) -> Unclear:
    return Unclear(node["task"].text(), node["ask"].text(), node["tell"].text())


@lru_cache(maxsize=1)
def sentences() -> Sentences:
    """Return the shipped data of dialogues."""
    folder = resources.files("chorewright.rsa") / "data"
    texts = [(folder / name).read_text("utf-8") for name in ("dialogues.json", "dialogue_tasks.json")]
    return parse_sentences(*texts)
