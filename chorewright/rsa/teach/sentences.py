"""The words of dialogues, from two data files: sentences with how often they are said, and wordings of tasks.

A sentence is made of parts with a dialogue act each, whose short marks stand before ``>``; ``//`` separates the parts::

    okay> [okay], I have {item}. // next> What [now]?
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources

from chorewright.files.english import number_word, plural, tidy
from chorewright.files.json_node import root
from chorewright.files.json_source import bare, parse_json
from chorewright.files.records import read_record
from chorewright.rsa.words.grammar import Grammar, grammar_of, literal
from chorewright.rsa.words.guesses import household_lexicon

COMMANDER, FOLLOWER = 0, 1
"""Agents, numbered as in TEACh's files."""


@dataclass(frozen=True, slots=True)
class Saying:
    """A part of an utterance: its dialogue act and its words."""

    act: str
    text: str


@dataclass(frozen=True, slots=True)
class Unclear:
    """A wording of a task that leaves something open, the question about it, and its answer."""

    task: str
    ask: str
    tell: str


@dataclass(frozen=True)
class DialogueSentences:
    """The data of dialogues; the data files explain each entry."""

    styles: Mapping[str, float]
    chances: Mapping[str, Mapping[str, float]]
    talkative: tuple[float, float]
    acts: Mapping[str, str]
    groups: Mapping[str, Sequence[str]]
    lines: Mapping[str, Sequence[str]]
    do: Mapping[str, Sequence[str]]
    did: Mapping[str, Sequence[str]]
    tasks: Mapping[str, Sequence[str]]
    unclear: Mapping[str, Sequence[Unclear]]
    classes: Mapping[str, Sequence[str]]
    relation: Sequence[str]
    relation_in: Sequence[str]
    several: Sequence[str]
    of_several: Mapping[str, Sequence[str]]

    @cached_property
    def grammar(self) -> Grammar:
        """The grammar that groups and lines make."""
        return grammar_of(dict(root(bare({**self.groups, **self.lines})).members()))

    def sayings(self, text: str) -> tuple[Saying, ...]:
        """Return the parts of a sentence that is said."""
        marks = "|".join(map(re.escape, self.acts))
        _, *parts = re.split(rf"(?:^| // )({marks})> ", text)
        return tuple(Saying(self.acts[act], tidy(said)) for act, said in zip(parts[::2], parts[1::2], strict=True))


def parse_sentences(text: str, tasks: str) -> DialogueSentences:
    """Read the data of dialogues from JSON of the shape of the shipped files.

    Args:
        text: Styles, chances and sentences.
        tasks: Wordings of tasks.

    Raises:
        InputError: A text is not JSON, lacks an entry, or has a sentence with an error.
    """
    document = root(bare({**parse_json(text).members, **parse_json(tasks).members}))
    told = read_record(DialogueSentences, document)
    for each in (each for _, line in document["lines"].members() for each in line.items()):
        if unknown := [part for part in each.text().split(" // ") if part.partition("> ")[0] not in told.acts]:
            hint = f"known: {', '.join(told.acts)}"
            raise each.error(f"a sentence begins with the mark of an act, not {unknown[0]!r}", hint)
    if not told.grammar.rules:
        raise document.error("there are no sentences")
    return told


@lru_cache(maxsize=1)
def sentences() -> DialogueSentences:
    """Return the shipped data of dialogues."""
    folder = resources.files("chorewright.rsa") / "data"
    texts = [(folder / name).read_text("utf-8") for name in ("dialogues.json", "dialogue_tasks.json")]
    return parse_sentences(*texts)


# Wordings of tasks and sub-tasks as instructions, their parameters filled in.


_PARAMETER = re.compile(r"\{(\d+)([wpsn]?)(?::(\w+))?\}")

_OPTIONAL = re.compile(r"\(((?:[^()|]|\([^()|]*\))*)\|\*0\)")


def task_wordings(name: str, params: Sequence[str], desc: str) -> tuple[str, ...]:
    """Return wordings of a task as an instruction; for a task without any, its own sentence.

    Groups of words (``[make]``) are still to be filled in. A user's task of the same name may have fewer
    parameters than the wordings speak of: it has none then.
    """
    known = sentences().tasks.get(name)
    if known is None or not _suits(known, params):
        return (literal(_describe(desc)),)
    return tuple(_fill(line, params) for line in known)


def several_wordings(name: str, params: Sequence[str], desc: str, number: str) -> tuple[str, ...]:
    """Return wordings of a sub-task that is wanted ``number`` times, as ``task_wordings`` does of one."""
    times = _count(number)
    known = sentences().of_several.get(name)
    if known is not None and _suits(known, params):
        return tuple(_fill(line, params).format(number=times) for line in known)
    one = task_wordings(name, params, desc)
    return tuple(form.format(part=line, number=times) for line in one for form in sentences().several)


def unclear_wordings(name: str, params: Sequence[str]) -> tuple[Unclear, ...]:
    """Return wordings of a task that leave something open, with question and answer; none for most tasks."""
    known = sentences().unclear.get(name, ())
    return tuple(
        Unclear(_fill(each.task, params), _fill(each.ask, params), _fill(each.tell, params))
        for each in known
        if _suits((each.task, each.ask, each.tell), params)
    )


_NAMED = re.compile(r"(?:\b(\d+|(?i:all(?: of)?(?: the)?|both|several|some|these)) )?\b([A-Za-z]+)(\(s\))?")
"""A word of a user's sentence, with what tells how many there are, and the mark of one or several."""

_NUMBER = re.compile(r"\b\d+\b")


def _describe(desc: str) -> str:
    """Return the sentence of a user's task within another: *put two slices of apple on a plate*.

    Kinds and classes have their nouns, several of them in the plural; numbers are words.
    """
    text = _NAMED.sub(_name_kind, desc.strip().rstrip("."))
    text = _NUMBER.sub(lambda found: number_word(int(found[0])), text)
    return text if text[:2].isupper() else text[:1].lower() + text[1:]


def _name_kind(found: re.Match[str]) -> str:
    """Return a word of a user's sentence: a noun where it names a kind or class, otherwise as it stands.

    A sentence that begins with *Watch* or *Book* says what to do.
    """
    number, name, mark = found[1] or "", found[2], found[3] or ""
    several = number not in ("", "1")
    words = household_lexicon().kinds.get(name)
    if not number and found.start() == 0 and name.istitle():
        noun = name
    elif name in sentences().classes:
        noun = sentences().classes[name][several]
    elif words is not None:
        noun = words.nouns[0].plural if several else words.nouns[0].word
    else:
        noun = plural(name) if mark and several else name if number else name + mark
    return f"{number} {noun}" if number else noun


def _suits(lines: Sequence[str], params: Sequence[str]) -> bool:
    return all(int(each[1]) < len(params) for line in lines for each in _PARAMETER.finditer(line))


def _fill(line: str, params: Sequence[str]) -> str:
    text = _PARAMETER.sub(lambda found: _parameter(found, params), _without_zeros(line, params))
    for noun in {household_lexicon().words(value).nouns[0].word for value in params if _is_ground(value)}:
        text = re.sub(rf"\b(any|some|an?|one|a single|one and the same) {noun}\b", f"the {noun}", text)
    return re.sub(r",+(?=[)\s]*$)", "", text)


def _is_ground(value: str) -> bool:
    """Return whether a parameter names what a room has one of, like its floor."""
    return value not in sentences().classes and value.isalpha() and household_lexicon().words(value).ground


def _without_zeros(line: str, params: Sequence[str]) -> str:
    """Return a wording with its optional parts, except those whose number is 0."""

    def kept(found: re.Match[str]) -> str:
        return "" if any(params[int(each[1])] == "0" for each in _PARAMETER.finditer(found[1])) else found[1]

    while _OPTIONAL.search(line):  # the innermost first
        line = _OPTIONAL.sub(kept, line)
    return line


def _parameter(found: re.Match[str], params: Sequence[str]) -> str:
    """Return what stands for a parameter in a wording."""
    value, form, agreeing = params[int(found[1])], found[2], found[3]
    if agreeing in ("it", "is"):
        return {"it": ("it", "them"), "is": ("is", "are")}[agreeing][value != "1"]
    if agreeing:
        return agreeing if value == "1" else plural(agreeing)
    if form == "n":
        return _count(value)
    if not form:
        return literal(value)
    if value in sentences().classes:
        one, several = sentences().classes[value]
        return {"w": one, "p": several, "s": f"a {one}"}[form]
    noun = household_lexicon().words(value).nouns[0]
    return {"w": noun.word, "p": noun.plural, "s": noun.a()}[form]


def _count(number: str) -> str:
    return number_word(int(number)) if number.isdecimal() else number
