"""A user's files: the search path, and vocabularies read from JSON (``docs/own_kinds.md`` lists the keys).

Every affordance, class, set and true flag of an entry names a set, in kebab case; each list of kinds, such as
``fits``, is a relation.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from chorewright.domains.pddl.syntax import Domain
from chorewright.domains.vocabulary import PREPOSITIONS, Kind, Pieces, Vocabulary
from chorewright.errors import InputError, Location, UsageError
from chorewright.files.english import article, did_you_mean, plural
from chorewright.files.json_node import JsonFindings, Node, root
from chorewright.files.json_source import JsonValue, parse_json
from chorewright.files.text import read_text, user_folder

_TEXTS = ("noun", "plural", "article")
_WORDS: Mapping[str, Sequence[str]] = {"preposition": tuple(PREPOSITIONS), "receptacle": ("always", "sometimes")}
_LISTS_OF_SETS = ("affordances", "classes", "sets")
_NO_RELATIONS = (*_LISTS_OF_SETS, "other_nouns", "rooms", "size")

ROOMS = ("kitchen", "living_room", "bedroom", "bathroom")
"""The kinds of rooms, in the order of iTHOR's numbering: FloorPlan1-30, 201-230, 301-330, 401-430."""

LARGEST = 3.0
"""Metres that a thing is long at most."""


def parse_vocabulary(text: str, path: str | None = None, base: Vocabulary | None = None) -> Vocabulary:
    """Read a vocabulary from JSON; with ``base``, extend that one.

    A kind that the base has already keeps what the text does not say; lists are joined.

    Raises:
        InputError: The text is not JSON.
        InputErrors: It is not of the right shape; all errors of one run.
    """
    document = root(parse_json(text, path))
    entries: dict[str, Mapping[str, JsonValue]] = {}
    findings = JsonFindings()
    with findings.collected():
        for name, entry in document.members("an object that maps kinds to entries"):
            with findings.collected():
                entries[name] = _check(name, entry, findings)
    if not findings.errors:
        findings.errors.extend(_reference_errors(document, {*entries, *(base.kinds if base else ())}))
    findings.report()
    return vocabulary_of(entries, base)


def load_vocabulary(path: str | Path, base: Vocabulary | None = None) -> Vocabulary:
    """Read a vocabulary file; with ``base``, extend that one.

    Raises:
        UsageError: The file cannot be read.
        InputError: It is not JSON or not of the right shape.
    """
    return parse_vocabulary(read_text(path), str(path), base)


def vocabulary_of_domain(domain: Domain) -> Vocabulary:
    """Return the vocabulary formed by a domain's types and constants alone.

    The types without subtypes are the kinds, the others the sets; nouns are the names with hyphens as spaces.
    """
    parents = {parent for typed in domain.types for parent in typed.types}
    leaves = [typed.name for typed in domain.types if typed.name not in parents]
    entries: dict[str, dict[str, JsonValue]] = {name: {"noun": _put_spaces(name)} for name in leaves}
    return vocabulary_of(entries).with_types(domain)


def vocabulary_of(entries: Mapping[str, Mapping[str, JsonValue]], base: Vocabulary | None = None) -> Vocabulary:
    """Return the vocabulary of checked entries by the names of kinds; with ``base``, extend that one."""
    kinds: dict[str, Kind] = dict(base.kinds) if base else {}
    pairs: dict[str, set[tuple[str, str]]] = {
        name: set(known) for name, known in (base.relations.items() if base else ())
    }
    pairs.setdefault("fits", set())
    pairs.setdefault("piece-of", set())
    for name, entry in entries.items():
        kind = kinds[name] = _kind(name, entry, kinds.get(name))
        if base is not None and name not in base.kinds and "rooms" not in entry and "pickupable" in kind.affordances:
            kind = kinds[name] = replace(kind, rooms=ROOMS)
        for key, value in entry.items():
            if isinstance(value, list) and key not in _NO_RELATIONS:
                pairs.setdefault(kebab(key), set()).update((name, str(other)) for other in value)
        if kind.pieces is not None:
            pairs["piece-of"].add((kind.pieces.kind, name))
    pieces = {piece for piece, _ in pairs["piece-of"]}
    for name in pieces & kinds.keys():
        kind = kinds[name]
        if "piece" not in kind.sets:
            kinds[name] = replace(kind, sets=(*kind.sets, "piece"), rooms=())
    sets: dict[str, list[str]] = {}
    if base:
        sets.update((name, list(members)) for name, members in base.sets.items())
    for kind in kinds.values():
        for name in kind.sets:
            members = sets.setdefault(name, [])
            if kind.name not in members:
                members.append(kind.name)
    # TEACh's classes Sink, SinkBasin, RoomDecor ... are kinds too: such a class has its kind in it.
    own = {name.lower(): name for name in kinds}
    for name, members in sets.items():
        kind_name = own.get(name.replace("-", ""))
        if kind_name is not None and kind_name not in members:
            members.append(kind_name)
    for name in own.keys() & sets.keys():
        del sets[name]
    return Vocabulary(
        kinds,
        {name: tuple(members) for name, members in sets.items()},
        {name: frozenset(known) for name, known in pairs.items()},
    )


def _kind(name: str, entry: Mapping[str, JsonValue], known: Kind | None) -> Kind:
    noun = _text(entry, "noun") or (known.noun if known else _put_spaces(name))
    own_noun = known is None or "noun" in entry
    pieces = entry.get("pieces")
    affordances = _join(known.affordances if known else (), entry.get("affordances"))
    classes = _join(known.classes if known else (), entry.get("classes"))
    receptacle = _text(entry, "receptacle") or (known.receptacle if known else "")
    named = [*affordances, *_join((), entry.get("sets")), *(key for key, value in entry.items() if value is True)]
    sets = dict.fromkeys([*(known.sets if known else ()), *map(kebab, (*named, *classes))])
    if receptacle and "hull" not in sets:
        sets["receptacle"] = None
    return Kind(
        name,
        name.lower(),
        noun,
        _text(entry, "plural") or (plural(noun) if own_noun or known is None else known.plural),
        _join(known.other_nouns if known else (), entry.get("other_nouns")),
        _text(entry, "article") or (article(noun) if own_noun or known is None else known.article),
        _text(entry, "preposition") or (known.preposition if known else "in"),
        affordances,
        classes,
        tuple(sets),
        receptacle,
        Pieces(str(pieces["kind"]), int(str(pieces["count"])))
        if isinstance(pieces, dict)
        else (known.pieces if known else None),
        _size(entry.get("size")) or (known.size if known else None),
        _join((), entry.get("rooms")) if "rooms" in entry else (known.rooms if known else ()),
    )


def _size(value: JsonValue) -> tuple[float, float, float] | None:
    if not isinstance(value, list):
        return None
    width, height, depth = (float(str(each)) for each in value)
    return width, height, depth


def _text(entry: Mapping[str, JsonValue], key: str) -> str:
    value = entry.get(key)
    return value if isinstance(value, str) else ""


def _join(known: tuple[str, ...], more: JsonValue) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*known, *(str(each) for each in (more if isinstance(more, list) else ())))))


def _check(name: str, entry: Node, findings: JsonFindings) -> Mapping[str, JsonValue]:
    """Return an entry; what is wrong with its members is collected.

    Raises:
        InputError: The name or the entry cannot be one at all.
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name):
        raise entry.error("a kind's name is a letter, then letters, digits, - or _")
    found: dict[str, JsonValue] = {}
    for key, member in entry.members():
        found[key] = member.value
        with findings.collected():
            _check_member(key, member)
    return found


def _check_member(key: str, member: Node) -> None:
    """Check the shape of a member of an entry."""
    if key in _WORDS:
        member.one_of(_WORDS[key])
    elif key in _TEXTS:
        member.line()
    elif key == "pieces":
        member["kind"].text("the name of a kind")
        member["count"].whole(least=1, most=20)
    elif key == "size":
        what = f"width, height and depth, each up to {LARGEST:g} metres"
        if len(list(member.items(what))) != 3 or not all(0 < each.number() <= LARGEST for each in member.items()):
            raise member.expected(what)
    elif key == "rooms":
        for each in member.items(f"a list of {', '.join(ROOMS)}"):
            each.one_of(ROOMS)
    elif isinstance(member.value, list):
        for each in member.items():
            if not each.text("a string").isprintable():
                raise each.expected("a string")
    elif not isinstance(member.value, bool):
        raise member.expected("true, false or a list of kinds")


def _reference_errors(document: Node, known: set[str]) -> Iterator[InputError]:
    """Yield the kinds that entries mention but that do not exist, and kinds that differ only in case."""
    lower: dict[str, str] = {}
    for name in sorted(known):
        other = lower.setdefault(name.lower(), name)
        if other != name:
            yield document.error(f"kinds {other!r} and {name!r} differ only in case")
    for _, entry in document.members():
        for key, member in entry.members():
            mentioned: list[Node] = []
            if isinstance(member.value, list) and key not in _NO_RELATIONS:
                mentioned = list(member.items())
            elif key == "pieces":
                mentioned = [member["kind"]]
            for each in mentioned:
                if each.text() not in known:
                    yield each.error(f"unknown kind {each.text()!r}", did_you_mean(each.text(), sorted(known)))


def kebab(name: str) -> str:
    """Return a name in kebab case, as sets are written: ``CleaningProducts``, ``heat_source``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).replace("_", "-").lower()


def _put_spaces(name: str) -> str:
    return kebab(name).replace("-", " ")


# A user's files: the folders of the search path, the kinds beside a template, and what a household must have.


SUFFIX = ".task"
SEARCH_PATH = "CHOREWRIGHT_PATH"
"""The environment variable with a user's folders."""

BESIDE = ".kinds.json"
"""What the name of a file of kinds ends in that belongs to the template beside it: ``NAME.kinds.json``."""


def check_household(domain: Domain, path: str, shipped: Domain) -> None:
    """Check that a user's household has all that the rooms are told with.

    Args:
        domain: The user's domain.
        path: Its file.
        shipped: The household that the package ships.

    Raises:
        InputError: A type, predicate or function is missing, or has another number of arguments.
    """
    types = {typed.name for typed in domain.types}
    missing = [f"type {typed.name!r}" for typed in shipped.types if typed.name not in types]
    for word, ours, theirs in (
        ("predicate", shipped.predicates, domain.predicates),
        ("function", shipped.functions, domain.functions),
    ):
        declared = {each.name: len(each.parameters) for each in theirs}
        missing += [
            f"{word} {each.name!r} of {len(each.parameters)} arguments"
            for each in ours
            if declared.get(each.name) != len(each.parameters)
        ]
    if missing:
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        raise InputError(
            f"the household lacks the {missing[0]}{more}",
            location=Location(path),
            hint="start from a copy of chorewright/domains/household/domain.pddl, or give yours another name",
        )


def search_folders(environment: Mapping[str, str] = os.environ) -> tuple[Path, ...]:
    """Return a user's folders: those of ``CHOREWRIGHT_PATH``, then the one for settings if it is there.

    Raises:
        UsageError: A folder of ``CHOREWRIGHT_PATH`` is not there.
    """
    named = [Path(each) for each in environment.get(SEARCH_PATH, "").split(os.pathsep) if each]
    for folder in named:
        if not folder.is_dir():
            raise UsageError(f"{SEARCH_PATH} names {str(folder)!r}, which is no folder")
    usual = user_folder("config", environment)
    found = [*named, *([usual] if usual is not None and usual.is_dir() else [])]
    return tuple(dict.fromkeys(folder.resolve() for folder in found))


def kinds_beside(task: str) -> tuple[str, ...]:
    """Return the file of kinds that lies beside a template's file: ``NAME.kinds.json``; nothing if there is none."""
    if not task.endswith(SUFFIX) or task == SUFFIX:
        return ()
    beside = Path(task).with_suffix(BESIDE)
    return (str(beside),) if beside.is_file() else ()
