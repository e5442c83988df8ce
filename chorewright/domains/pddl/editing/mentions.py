"""Where the names of a PDDL file are declared and used, in a text that may have mistakes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import pairwise

from chorewright.domains.pddl.expressions import CHANGES
from chorewright.domains.pddl.grammar import number, read_forms
from chorewright.domains.pddl.source import Findings, Form, Item, Source, Word
from chorewright.domains.pddl.syntax import TRAJECTORIES

RESERVED = frozenset(
    (
        *("and", "or", "not", "imply", "when", "either", "over", "preference", "minimize", "maximize", "at-least"),
        *("=", "<", ">", "<=", ">=", "+", "-", "*", "/"),
        *(*CHANGES, *TRAJECTORIES, "is-violated"),
    )
)
"""Words that begin a list and are no names."""

BUILT_IN = frozenset(("object", "number", "total-time", "#t", "?duration", "start", "end", "all"))
"""Names that no file declares."""

_COMMENT = re.compile(r"[^;\n]*;+ *([^\n]*)")


class Sort(Enum):
    """What a name stands for."""

    DOMAIN = "domain"
    TYPE = "type"
    PREDICATE = "predicate"
    FUNCTION = "function"
    OBJECT = "object"
    ACTION = "action"
    VARIABLE = "variable"


@dataclass(frozen=True, slots=True)
class Mention:
    """A name at a place of a text.

    Attributes:
        name: The name in lower case, a variable with its question mark.
        sort: What it stands for.
        offset: Where it begins, in characters.
        declares: Whether the place declares it.
        scope: Of a variable, where the list begins that binds it; else -1.
        told: Where it is declared, what an editor shows: its signature, and the comment behind it.
    """

    name: str
    sort: Sort
    offset: int
    declares: bool = False
    scope: int = -1
    told: str = ""

    @property
    def end(self) -> int:
        """The offset after the name."""
        return self.offset + len(self.name)


@dataclass(frozen=True)
class FileNames:
    """The names of a file.

    Attributes:
        kind: ``domain`` or ``problem``; empty if the file is neither.
        name: What the file defines.
        domain: The domain that a problem is of; of a domain, itself.
        mentions: All names, in the order of the text.
    """

    kind: str = ""
    name: str = ""
    domain: str = ""
    mentions: tuple[Mention, ...] = field(default=(), repr=False)

    def at(self, offset: int) -> Mention | None:
        """Return the name at an offset, or that ends there; None if there is none."""
        return next((each for each in self.mentions if each.offset <= offset <= each.end), None)

    def declarations(self, sort: Sort | None = None) -> Iterator[Mention]:
        """Yield what the file declares, of one sort or of all."""
        return (each for each in self.mentions if each.declares and sort in (None, each.sort))

    def alike(self, mention: Mention) -> Iterator[Mention]:
        """Yield the places of the same name; of a variable, those that the same list binds."""
        for each in self.mentions:
            if (each.name, each.sort, each.scope) == (mention.name, mention.sort, mention.scope):
                yield each


def outline(text: str, functions: Collection[str] = ()) -> FileNames:
    """Return the names of a domain or problem; what cannot be read has none.

    Args:
        text: The file's text; its offsets count characters with line breaks as ``\\n``.
        functions: The functions of the domain, where the text is a problem.
    """
    source = Source(text)
    forms = read_forms(Findings(source))
    define = next((form for form in forms if isinstance(form, Form) and form.head == "define"), None)
    if define is None:
        return FileNames()
    reader = _Reader(source, functions)
    reader.read(define)
    found = sorted(dict.fromkeys(reader.found), key=lambda each: (each.offset, not each.declares))
    return FileNames(reader.kind, reader.name, reader.domain, tuple(found))


class _Reader:
    """Goes through a definition and notes its names."""

    def __init__(self, source: Source, functions: Collection[str]) -> None:
        self.source, self.functions = source, set(functions)
        self.kind = self.name = self.domain = ""
        self.found: list[Mention] = []

    def read(self, define: Form) -> None:
        """Note all names of a definition."""
        sections = [item for item in define.items[1:] if isinstance(item, Form)]
        for section in sections:
            if section.head == ":functions":
                self.functions.update(form.head for form in section.items if isinstance(form, Form))
        for section in sections:
            self._section(section)

    def _section(self, section: Form) -> None:
        head, items = section.head, section.items[1:]
        if head in ("domain", "problem") and items and isinstance(items[0], Word):
            self.kind, self.name = head, items[0].text
            if head == "domain":
                self.domain = items[0].text
                self._declare(items[0], Sort.DOMAIN, f"(domain {items[0].text})")
        elif head == ":domain" and items and isinstance(items[0], Word):
            self.domain = items[0].text
            self._note(items[0], Sort.DOMAIN)
        elif head == ":types":
            self._declare_all(items, Sort.TYPE)
            self._declare_parents()
        elif head in (":constants", ":objects"):
            self._declare_all(items, Sort.OBJECT)
        elif head in (":predicates", ":functions"):
            sort = Sort.PREDICATE if head == ":predicates" else Sort.FUNCTION
            for form in items:
                if isinstance(form, Form):
                    self._signature(form, sort)
                elif isinstance(form, Word):
                    self._type_name(form)
        elif head in (":action", ":durative-action", ":process", ":event"):
            self._action(section)
        elif head == ":derived" and items and isinstance(items[0], Form):
            self._axiom(section, items[0], items[1:])
        elif head != ":requirements":
            for item in items:
                self._condition(item, {})

    def _declare_parents(self) -> None:
        """Let a type that is only named as another's parent be declared where it is named first."""
        known = {each.name for each in self.found if each.sort is Sort.TYPE and each.declares}
        for place, each in enumerate(self.found):
            if each.sort is Sort.TYPE and each.name not in known:
                known.add(each.name)
                self.found[place] = replace(each, declares=True, told=each.name)

    def _signature(self, form: Form, sort: Sort) -> None:
        if form.items and isinstance(form.items[0], Word):
            self._declare(form.items[0], sort, self._text(form))
            self._declare_all(form.items[1:], Sort.VARIABLE, form.offset)

    def _action(self, section: Form) -> None:
        items = section.items
        if len(items) > 1 and isinstance(items[1], Word):
            parameters = next((after for word, after in pairwise(items) if _is_word(word, ":parameters")), None)
            told = f" {self._text(parameters)}" if isinstance(parameters, Form) else ""
            self._declare(items[1], Sort.ACTION, f"({section.head} {items[1].text}{told})")
        scope: dict[str, int] = {}
        key = ""
        for item in items[2:]:
            if isinstance(item, Word) and item.text.startswith(":"):
                key = item.text
            elif key == ":parameters" and isinstance(item, Form):
                scope = self._declare_all(item.items, Sort.VARIABLE, section.offset)
            else:
                self._condition(item, scope)

    def _axiom(self, section: Form, head: Form, body: Sequence[Item]) -> None:
        if head.items and isinstance(head.items[0], Word):
            self._note(head.items[0], Sort.PREDICATE)
            scope = self._declare_all(head.items[1:], Sort.VARIABLE, section.offset)
            for item in body:
                self._condition(item, scope)

    def _declare_all(self, items: Sequence[Item], sort: Sort, scope: int = -1) -> dict[str, int]:
        """Note a list of names with types; return the scope of each variable."""
        waiting: list[Word] = []
        scopes: dict[str, int] = {}
        number_of = 0
        while number_of < len(items):
            item = items[number_of]
            number_of += 1
            if _is_word(item, "-") and number_of < len(items):
                types = items[number_of]
                number_of += 1
                named = self._types(types)
                for word in waiting:
                    self._declare(word, sort, f"{word.text} - {named}", scope)
                waiting = []
            elif isinstance(item, Word) and item.text != "-":
                waiting.append(item)
                if sort is Sort.VARIABLE:
                    scopes[item.text] = scope
        for word in waiting:
            self._declare(word, sort, word.text, scope)
        return scopes

    def _types(self, item: Item) -> str:
        """Note the types behind a dash; return them as they are written."""
        if isinstance(item, Form):
            for each in item.items[1:]:
                if isinstance(each, Word):
                    self._type_name(each)
            return self._text(item)
        if isinstance(item, Word):
            self._type_name(item)
        return item.text

    def _type_name(self, word: Word) -> None:
        if word.text not in BUILT_IN and word.text != "-":
            self._note(word, Sort.TYPE)

    def _condition(self, item: Item, scopes: Mapping[str, int]) -> None:
        """Note the names of a condition, effect or expression."""
        if isinstance(item, Word):
            self._term(item, scopes)
            return
        if not isinstance(item, Form) or not item.items:
            return
        head, *rest = item.items
        if not isinstance(head, Word):
            for each in item.items:
                self._condition(each, scopes)
            return
        if head.text in ("forall", "exists") or (head.text == "at-least" and len(rest) > 1):
            bound = next((each for each in rest if isinstance(each, Form)), None)
            inner = dict(scopes)
            if bound is not None:
                inner |= self._declare_all(bound.items, Sort.VARIABLE, item.offset)
            for each in rest:
                if each is not bound and isinstance(each, Form):
                    self._condition(each, inner)
            return
        timed = head.text == "at" and len(rest) == 2 and isinstance(rest[1], Form)
        if not timed and head.text not in RESERVED:
            self._note(head, Sort.FUNCTION if head.text in self.functions else Sort.PREDICATE)
        skipped = 1 if timed or head.text in ("preference", "over", "is-violated", "within") else 0
        for each in rest[skipped if rest and isinstance(rest[0], Word) else 0 :]:
            self._condition(each, scopes)

    def _term(self, word: Word, scopes: Mapping[str, int]) -> None:
        if word.text in BUILT_IN or word.text.startswith(":") or number(word.text) is not None:
            return
        if word.text.startswith("?"):
            self._note(word, Sort.VARIABLE, scopes.get(word.text, -1))
        else:
            self._note(word, Sort.FUNCTION if word.text in self.functions else Sort.OBJECT)

    def _declare(self, word: Word, sort: Sort, told: str, scope: int = -1) -> None:
        comment = _COMMENT.match(self.source.text, word.offset) if sort is not Sort.VARIABLE else None
        told = f"{told}\n{comment[1].strip()}" if comment and comment[1].strip() else told
        self.found.append(Mention(word.text, sort, word.offset, True, scope, told))

    def _note(self, word: Word, sort: Sort, scope: int = -1) -> None:
        self.found.append(Mention(word.text, sort, word.offset, False, scope))

    def _text(self, form: Form) -> str:
        """Return a list as it is written, on one line and without comments."""
        return " ".join(re.sub(r";[^\n]*", "", self.source.text[form.offset : form.end]).split())


def _is_word(item: Item, text: str = "") -> bool:
    return isinstance(item, Word) and (not text or item.text == text)
