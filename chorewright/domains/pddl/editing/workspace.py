"""The PDDL files of a folder as an editor asks for them: definitions, uses, renaming, completion, mistakes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from chorewright.domains.pddl.define import DOMAIN_SECTIONS, PROBLEM_SECTIONS
from chorewright.domains.pddl.editing.mentions import BUILT_IN, RESERVED, FileNames, Mention, Sort, outline
from chorewright.domains.pddl.parser import domain_with_remarks, parse_problem
from chorewright.domains.pddl.source import Remark, Source
from chorewright.errors import ChorewrightError, InputErrors, LimitError, Location, StorageError, UsageError
from chorewright.files.text import read_text

SUFFIX = ".pddl"

MOST_FILES = 500
"""Files of a folder that are looked at."""

NAME = re.compile(r"[a-z][a-z0-9_-]*", re.IGNORECASE)
"""A name of PDDL."""

_PREFIX = re.compile(r"[?:#]?[\w@-]*\Z")
_KEYS = (
    *(":parameters", ":precondition", ":condition", ":effect", ":duration"),
    *(":strips", ":typing", ":adl", ":negative-preconditions", ":disjunctive-preconditions", ":equality"),
    *(":universal-preconditions", ":existential-preconditions", ":quantified-preconditions"),
    *(":conditional-effects", ":action-costs", ":fluents", ":numeric-fluents", ":durative-actions"),
    *(":derived-predicates", ":constraints", ":preferences", ":timed-initial-literals"),
)


@dataclass(frozen=True, slots=True)
class Place:
    """A name in a file."""

    path: str
    mention: Mention


@dataclass(frozen=True, slots=True)
class Mistake:
    """Something wrong or doubtful in a file.

    Attributes:
        line, column: Where, from 1; the beginning of the file if that is not known.
        message: What is wrong.
        hint: What may help; empty for nothing.
        rule: The name of the rule that finds it doubtful; empty for an error.
    """

    line: int
    column: int
    message: str
    hint: str = ""
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """A text that may stand at a place, what it stands for, and its signature."""

    text: str
    sort: Sort | None
    told: str = ""


class Workspace:
    """Files that are open in an editor, and those beside them on disk.

    A problem belongs to the domain of its name in the same folder; the problems there belong to their domains.
    """

    def __init__(self) -> None:
        self._open: dict[str, str] = {}
        self._known: dict[tuple[str, frozenset[str]], tuple[str, FileNames]] = {}

    @property
    def open_files(self) -> Collection[str]:
        """The files that are open in the editor."""
        return self._open.keys()

    def set(self, path: str, text: str) -> None:
        """Take a file's text from the editor, in place of what is on disk."""
        self._open[path] = text.replace("\r\n", "\n").replace("\r", "\n")

    def close(self, path: str) -> None:
        """Go back to what is on disk."""
        self._open.pop(path, None)

    def text(self, path: str) -> str:
        """Return a file's text; empty if it cannot be read."""
        if path in self._open:
            return self._open[path]
        try:
            return read_text(Path(path)).replace("\r\n", "\n").replace("\r", "\n")
        except (ChorewrightError, OSError):
            return ""

    def outline(self, path: str) -> FileNames:
        """Return the names of a file; of one that nests too deep there are none."""
        found = self._outline(path)
        domain = self.domain_of(path) if found.kind == "problem" else None
        if domain is None:
            return found
        functions = frozenset(each.name for each in self._outline(domain).declarations(Sort.FUNCTION))
        return self._outline(path, functions)

    def _outline(self, path: str, functions: frozenset[str] = frozenset()) -> FileNames:
        """Return the names of a file, where a problem's domain has these functions."""
        text, key = self.text(path), (path, functions)
        if key not in self._known or self._known[key][0] != text:
            try:
                found = outline(text, functions)
            except (LimitError, RecursionError):
                found = FileNames()
            self._known[key] = (text, found)
        return self._known[key][1]

    def domain_of(self, path: str) -> str | None:
        """Return the file of a file's domain: itself, or one of its folder; None if there is none."""
        found = self._outline(path)
        if found.kind == "domain":
            return path
        for other in self._beside(path):
            there = self._outline(other)
            if there.kind == "domain" and there.name == found.domain:
                return other
        return None

    def _beside(self, path: str) -> Iterator[str]:
        """Yield the other files of a folder, the open ones first."""
        folder = str(Path(path).parent)
        known = [other for other in self._open if str(Path(other).parent) == folder]
        try:
            on_disk = sorted(str(each) for each in Path(folder).glob(f"*{SUFFIX}"))[:MOST_FILES]
        except OSError:
            on_disk = []
        yield from (other for other in dict.fromkeys((*known, *on_disk)) if other != path)

    def family(self, path: str) -> list[str]:
        """Return a file, its domain's, and those of the domain's problems."""
        domain = self.domain_of(path)
        if domain is None:
            return [path]
        name = self._outline(domain).name
        others = [domain, *self._beside(domain)]
        return [each for each in others if self._outline(each).domain == name]

    def definition(self, path: str, offset: int) -> Place | None:
        """Return where the name at an offset is declared; None if there is no name, or no declaration is found."""
        return next((place for place in self.references(path, offset) if place.mention.declares), None)

    def references(self, path: str, offset: int) -> list[Place]:
        """Return all places of the name at an offset, its declaration first; objects of a problem are its own."""
        here = self.outline(path)
        mention = here.at(offset)
        if mention is None:
            return []
        own = [Place(path, each) for each in here.alike(mention)]
        found = own
        if mention.sort is not Sort.VARIABLE and not self._is_own(path, here, mention):
            others = (other for other in self.family(path) if other != path)
            found = own + [
                Place(other, each)
                for other in others
                for each in self.outline(other).alike(mention)
                if not self._is_own(other, self.outline(other), mention)
            ]
        return sorted(found, key=lambda place: not place.mention.declares)

    @staticmethod
    def _is_own(path: str, there: FileNames, mention: Mention) -> bool:
        """Return whether a name is an object that a problem declares itself."""
        declared = any(each.name == mention.name for each in there.declarations(Sort.OBJECT))
        return mention.sort is Sort.OBJECT and there.kind == "problem" and declared

    def describe(self, path: str, offset: int) -> str:
        """Return the declaration of the name at an offset with the comment behind it; empty if there is none."""
        place = self.definition(path, offset)
        return "" if place is None else f"{place.mention.sort.value} {place.mention.told}"

    def rename(self, path: str, offset: int, name: str) -> Mapping[str, Sequence[Mention]]:
        """Return the places that get another name, by file.

        Raises:
            UsageError: There is no name at the offset, it is not declared in these files, or the new name is none or
                stands for something else already.
        """
        places = self.references(path, offset)
        if not places or not places[0].mention.declares:
            raise UsageError("there is no name here that these files declare")
        first = places[0].mention
        plain = name.removeprefix("?") if first.sort is Sort.VARIABLE else name
        if NAME.fullmatch(plain) is None or (first.sort is Sort.VARIABLE) != name.startswith("?"):
            example = "?x" if first.sort is Sort.VARIABLE else "a letter, then letters, digits, - and _"
            raise UsageError(f"{name!r} is no name of a {first.sort.value}", hint=f"such names are {example}")
        if name.lower() in RESERVED | BUILT_IN:
            raise UsageError(f"{name!r} has a meaning of its own in PDDL")
        found: dict[str, list[Mention]] = {}
        for place in places:
            found.setdefault(place.path, []).append(place.mention)
        for each in found:
            taken = {(other.name, other.sort, other.scope) for other in self.outline(each).mentions}
            if (name.lower(), first.sort, first.scope) in taken:
                raise UsageError(f"{name!r} stands for another {first.sort.value} already")
        return found

    def complete(self, path: str, offset: int) -> list[Completion]:
        """Return what may stand at an offset, in the order of the alphabet."""
        text = self.text(path)
        prefix = _PREFIX.search(text, max(0, offset - 200), offset)
        word = prefix[0] if prefix else ""
        before = text[: offset - len(word)].rstrip()
        if word.startswith(":"):
            here = self.outline(path)
            sections = PROBLEM_SECTIONS if here.kind == "problem" else DOMAIN_SECTIONS
            return [Completion(each, None) for each in sorted({*sections, *_KEYS})]
        if word.startswith("?"):
            return self._offer(path, (Sort.VARIABLE,), offset)
        if before.endswith("-"):
            return [*self._offer(path, (Sort.TYPE,), offset), Completion("object", Sort.TYPE)]
        if before.endswith("("):
            heads = self._offer(path, (Sort.PREDICATE, Sort.FUNCTION), offset)
            words = [Completion(each, None) for each in sorted(RESERVED) if each.isalpha()]
            return [*heads, *words, Completion("forall", None), Completion("exists", None)]
        return self._offer(path, (Sort.VARIABLE, Sort.OBJECT), offset)

    def _offer(self, path: str, sorts: Sequence[Sort], offset: int) -> list[Completion]:
        text = self.text(path)
        domain = self.domain_of(path)
        found: dict[str, Completion] = {}
        for each in dict.fromkeys((path, *(() if domain is None else (domain,)))):
            for mention in self.outline(each).declarations():
                if mention.sort not in sorts:
                    continue
                if mention.sort is Sort.VARIABLE and (each != path or not _encloses(text, mention.scope, offset)):
                    continue
                found.setdefault(mention.name, Completion(mention.name, mention.sort, mention.told))
        return [found[name] for name in sorted(found)]

    def mistakes(self, path: str) -> list[Mistake]:
        """Return what is wrong in a file; a problem without its domain is looked at by its names only."""
        text = self.text(path)
        here = self._outline(path)
        try:
            if here.kind == "problem":
                domain = self.domain_of(path)
                if domain is None:
                    offset = next((each.offset for each in here.mentions if each.sort is Sort.DOMAIN), 0)
                    place = Source(text).position(offset)
                    hint = f"put a file of this domain into the folder of {Path(path).name}"
                    message = f"there is no domain {here.domain!r} beside this problem"
                    return [Mistake(place.line, place.column, message, hint)]
                parse_problem(text, domain_with_remarks(self.text(domain), domain)[0], path)
                return []
            remarks = domain_with_remarks(text, path)[1]
        except InputErrors as errors:
            return [
                _mistake(error) for error in errors.errors if error.location is None or error.location.path == path
            ] or [Mistake(1, 1, f"the domain of this problem has mistakes: {errors.message}")]
        except (LimitError, StorageError) as error:
            return [_mistake(error)]
        return [_mistake(remark, remark.rule) for remark in remarks]


def _mistake(wrong: ChorewrightError | Remark, rule: str = "") -> Mistake:
    place = wrong.location or Location()
    return Mistake(place.line or 1, place.column or 1, wrong.message, wrong.hint or "", rule)


def _encloses(text: str, start: int, offset: int) -> bool:
    """Return whether a list that begins at one offset is still open at another."""
    if not 0 <= start < offset:
        return False
    plain = re.sub(r";[^\n]*", "", text[start:offset])
    depth = 0
    for character in plain:
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return False
    return depth > 0
