"""The sections of a goal template that hold words: its domain, sentences, rooms, tags and number."""

from __future__ import annotations

from chorewright.domains.pddl.define import check_domain_name
from chorewright.domains.pddl.grammar import name, show
from chorewright.domains.pddl.source import Findings, Form, Item, Text, Word
from chorewright.domains.pddl.syntax import Domain
from chorewright.files.english import did_you_mean

ROOM_KINDS = ("kitchen", "living_room", "bedroom", "bathroom")
"""What ``:rooms`` may name; a hyphen will do, too."""

MAX_NUMBER = 9999


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


def number(form: Form | None, findings: Findings) -> int | None:
    """The number that a benchmark gives the task; None without the section."""
    if form is None:
        return None
    given = form.items[1] if len(form.items) == 2 else None
    if isinstance(given, Word) and given.text.isascii() and given.text.isdigit():
        if int(given.text[:9]) <= MAX_NUMBER:
            return int(given.text)
        findings.error(given.offset, f"the number of a task is at most {MAX_NUMBER}")
        return None
    at = given.offset if given is not None else form.offset
    findings.error(at, "':number' takes one whole number", "for example (:number 12)")
    return None
