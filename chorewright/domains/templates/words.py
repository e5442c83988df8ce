"""The words of a goal template: sections of words (domain, sentences, rooms, tags), and sentence patterns filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from chorewright.domains.pddl.define import check_domain_name
from chorewright.domains.pddl.grammar import name, show
from chorewright.domains.pddl.source import Findings, Form, Item, Text, Word
from chorewright.domains.pddl.syntax import Domain
from chorewright.domains.vocabulary import Vocabulary
from chorewright.errors import InputError
from chorewright.files.english import capital, did_you_mean, number_word, plural

ROOM_KINDS = ("kitchen", "living_room", "bedroom", "bathroom")
"""What ``:rooms`` may name; a hyphen will do, too."""

MAX_NUMBER = 9999
MAX_EFFORT = 10**9
"""Evaluations that a task may ask for."""


def short(item: Item) -> str:
    """Quote an item in at most 40 characters."""
    shown = show(item)
    return shown if len(shown) <= 40 else f"{shown[:37]}..."


def domain_name(form: Form | None, domain: Domain, findings: Findings) -> str:
    """The name of the domain, which must be the given one."""
    if form is not None:
        check_domain_name(form, domain, "task", findings)
    return domain.name


def texts(form: Form | None, findings: Findings) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The double-quoted strings of a section, with the offsets of their first characters."""
    found: list[str] = []
    offsets: list[int] = []
    for item in form.items[1:] if form else ():
        if isinstance(item, Text):
            found.append(item.text)
            offsets.append(item.offset + 1)
        else:
            hint = 'sentences are written "like this"'
            findings.error(item.offset, f"a string in double quotes is expected here, not '{short(item)}'", hint)
    return tuple(found), tuple(offsets)


def rooms(form: Form | None, findings: Findings) -> tuple[str, ...]:
    """The kinds of room, each once."""
    found: list[str] = []
    for item in form.items[1:] if form else ():
        given = name(item, "a kind of room", findings)
        room = given.replace("-", "_") if given else None
        if room in ROOM_KINDS:
            found.append(room)
        elif given is not None and room is not None:
            hint = did_you_mean(room, ROOM_KINDS) or f"rooms are {', '.join(ROOM_KINDS)}"
            findings.error(item.offset, f"there is no kind of room '{given}'", hint)
    return tuple(dict.fromkeys(found))


def tags(form: Form | None, findings: Findings) -> tuple[str, ...]:
    """The tags; a repeated tag is an error."""
    found: list[str] = []
    for item in form.items[1:] if form else ():
        tag = name(item, "a tag", findings)
        if tag in found:
            findings.error(item.offset, f"the tag '{tag}' occurs twice")
        elif tag is not None:
            found.append(tag)
    return tuple(found)


def number(form: Form | None, findings: Findings, what: str = "number", most: int = MAX_NUMBER) -> int | None:
    """The number of a section, such as the one that a benchmark gives the task; None without the section."""
    if form is None:
        return None
    given = form.items[1] if len(form.items) == 2 else None
    if isinstance(given, Word) and given.text.isascii() and given.text.isdigit():
        if int(given.text[:12]) <= most:
            return int(given.text)
        findings.error(given.offset, f"the {what} of a task must be at most {most}")
        return None
    at = given.offset if given is not None else form.offset
    section, example = (":number", 12) if what == "number" else (":effort", 60_000)
    findings.error(at, f"'{section}' takes one whole number", f"for example ({section} {example})")
    return None


# Sentence patterns: English with keys in braces, filled with the nouns of what fills a template's slots.


PATTERN_KEY = re.compile(r"\{([^{}]*)\}")
PATTERN_FORMS = ("a", "in", "into")
COUNTED = "counted "
"""How the form of a number with a noun begins; the noun follows."""


def say(pattern: str, binding: Mapping[str, str], vocabulary: Vocabulary) -> str:
    """Fill a sentence pattern.

    ``{object}`` is the noun of what fills the slot, ``{objects}`` its plural, ``{a object}`` the noun with
    its article, ``{in object}`` the preposition of lying there, ``{into object}`` of moving there. Of a slot over
    numbers, ``{n}`` is the number in words, and ``{n object}`` or ``{n fork}`` the number with that noun: "one fork",
    "two forks".
    """

    def fill(match: re.Match[str]) -> str:
        form, slot = read_key(match.group(1), tuple(binding))
        if form.startswith(COUNTED):
            return _count(binding[slot], form.removeprefix(COUNTED), binding, vocabulary)
        kind = vocabulary.kinds.get(binding[slot])
        if kind is None and binding[slot].isdigit():
            return number_word(int(binding[slot]))
        if kind is None:
            noun = binding[slot].replace("_", " ").replace("-", " ")
            return {"": noun, "plural": plural(noun), "a": f"the {noun}", "in": "in", "into": "into"}[form]
        return {
            "": kind.noun,
            "plural": kind.plural,
            "a": kind.a_noun,
            "in": kind.preposition,
            "into": kind.preposition_of_motion,
        }[form]

    return capital(PATTERN_KEY.sub(fill, pattern))


def _count(number: str, noun: str, binding: Mapping[str, str], vocabulary: Vocabulary) -> str:
    """Return a number with what it counts: a slot's kind, a kind's noun, or any other noun, with a regular plural."""
    filled = vocabulary.kinds.get(binding.get(noun, ""))
    kinds = (filled,) if filled else vocabulary.kinds.values()
    kind = next((kind for kind in kinds if filled or noun in (kind.noun, kind.name.lower())), None)
    word = number_word(int(number)) if number.isdigit() else number
    if kind is not None:
        return f"{word} {kind.noun if number == '1' else kind.plural}"
    return f"{word} {noun if number == '1' else plural(noun)}"


def read_key(key: str, slots: Sequence[str]) -> tuple[str, str]:
    """Return the form and the slot that the key of a pattern means.

    Raises:
        InputError: It means none; the hint names what is close.
    """
    form, _, name = key.lower().rpartition(" ")
    form = form.strip()
    if form in ("", *PATTERN_FORMS) and name in slots:
        return form, name
    if not form and name.endswith("s") and name[:-1] in slots:
        return "plural", name[:-1]
    number, _, noun = key.lower().partition(" ")
    if number in slots and noun.strip():
        return COUNTED + noun.strip(), number
    known = [*slots, *(f"{slot}s" for slot in slots), *(f"{each} {slot}" for each in PATTERN_FORMS for slot in slots)]
    if not slots:
        raise InputError(f"'{{{key}}}' is not a slot: this task has none", hint="write the words themselves")
    hint = did_you_mean(key.lower(), known) or f"keys are {{{'}, {'.join(known)}}}"
    raise InputError(f"'{{{key}}}' is not a slot of this task", hint=hint)
