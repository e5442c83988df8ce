"""The file of a domain's wordings, ``NAME.say`` beside ``NAME.pddl``, read and checked.

::

    (define (wordings blocks)
      (:domain blocks)
      (:nouns (block "block" "blocks"))
      (:names (table "the table"))
      (:say object (block ?x) "block ?x")
      (:say predicate (on ?x ?y) "?x is on ?y" "?x sits on ?y")
      (:say not (on ?x ?y) "?x is not on ?y")
      (:say goal (on ?x ?y) "put ?x on ?y")
      (:say action (stack ?x ?y) "stack ?x on ?y"))
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from chorewright.domains.pddl.define import read_own_sections
from chorewright.domains.pddl.grammar import name, show
from chorewright.domains.pddl.source import Findings, Form, Item, Source, Text, Word, read_source
from chorewright.domains.pddl.syntax import Domain
from chorewright.domains.phrases import SLOT, Noun, Phrase, Wordings, new_noun
from chorewright.domains.templates.words import short
from chorewright.files.english import did_you_mean, say_count, say_list

SUFFIX = ".say"
SECTIONS = (":domain", ":documentation", ":nouns", ":names", ":say")
KINDS = ("predicate", "not", "goal", "action", "object")
_EXAMPLE = 'write (:say predicate (on ?x ?y) "?x is on ?y")'


def parse_wordings(text: str, domain: Domain, path: str | None = None) -> Wordings:
    """Parse the wordings of a domain and check them against it.

    Raises:
        InputErrors: All errors that were found.
        LimitError: The text is too large or nests too deep.
    """
    return _wordings(Source(text, path), domain)


def load_wordings(path: str | Path, domain: Domain) -> Wordings:
    """Parse and check a file of wordings; raises as ``parse_wordings``, or UsageError if it cannot be read."""
    return _wordings(read_source(path), domain)


class _Reader:
    """What has been read so far, by kind and name."""

    def __init__(self, domain: Domain, findings: Findings) -> None:
        self.domain, self.findings = domain, findings
        self.said: dict[str, dict[str, tuple[Phrase, ...]]] = {kind: {} for kind in KINDS}
        self.nouns: dict[str, Noun] = {}
        self.names: dict[str, str] = {}
        predicates = {each.name: len(each.parameters) for each in domain.predicates}
        self.known: Mapping[str, Mapping[str, int]] = {
            "predicate": predicates,
            "not": predicates,
            "goal": predicates,
            "action": {each.name: len(each.parameters) for each in domain.actions},
            "object": dict.fromkeys(("object", *(each.name for each in domain.types)), 1),
        }

    def say(self, form: Form) -> None:
        """Read ``(:say KIND (NAME ?x ...) "..." ...)``."""
        kind = form.items[1] if len(form.items) > 1 else None
        if not isinstance(kind, Word) or kind.text not in KINDS:
            shown = "nothing" if kind is None else f"'{short(kind)}'"
            hint = (did_you_mean(kind.text, KINDS) if isinstance(kind, Word) else None) or _EXAMPLE
            at = form.offset if kind is None else kind.offset
            self.findings.error(at, f"':say' takes {say_list(KINDS, 'or')} first, not {shown}", hint)
            return
        head = form.items[2] if len(form.items) > 2 else None
        if not isinstance(head, Form) or not head.head:
            at = form.offset if head is None else head.offset
            self.findings.error(at, f"what is said is missing after ':say {kind.text}'", _EXAMPLE)
            return
        variables = self._variables(head, kind.text)
        if variables is None:
            return
        if head.head in self.said[kind.text]:
            message = f"'{head.head}' is worded twice"
            self.findings.error(head.offset, message, "put all wordings into one ':say'")
        elif len(form.items) < 4:
            self.findings.error(form.offset, f"'{head.head}' is given no wording", _EXAMPLE)
        else:
            phrases = (self._phrase(each, variables) for each in form.items[3:])
            self.said[kind.text][head.head] = tuple(each for each in phrases if each is not None)

    def _variables(self, head: Form, kind: str) -> list[str] | None:
        """Return the variables of ``(NAME ?x ...)``; None if the domain has nothing of this name and shape."""
        what = {"action": "action", "object": "type"}.get(kind, "predicate")
        arity = self.known[kind].get(head.head)
        if arity is None:
            hint = did_you_mean(head.head, self.known[kind])
            self.findings.error(head.items[0].offset, f"the domain has no {what} '{head.head}'", hint)
            return None
        for each in head.items[1:]:
            if not isinstance(each, Word) or not SLOT.fullmatch(each.text):
                self.findings.error(each.offset, f"a variable is expected here, not '{short(each)}'", "write ?x")
                return None
        names = [show(each) for each in head.items[1:]]
        if len(names) != arity:
            self.findings.error(head.offset, f"'{head.head}' takes {say_count(arity, 'variable')}, not {len(names)}")
            return None
        for place, variable in enumerate(names):
            if variable in names[:place]:
                self.findings.error(head.items[place + 1].offset, f"the variable '{variable}' occurs twice")
                return None
        return names

    def _phrase(self, item: Item, variables: list[str]) -> Phrase | None:
        if not isinstance(item, Text):
            message = f"a wording in double quotes is expected here, not '{short(item)}'"
            self.findings.error(item.offset, message, _EXAMPLE)
            return None
        if not item.text.strip():
            self.findings.error(item.offset, "the wording is empty", _EXAMPLE)
            return None
        for found in SLOT.finditer(item.text):
            if found.group().lower() not in variables:
                hint = did_you_mean(found.group().lower(), variables)
                known = hint or (f"the variables are {', '.join(variables)}" if variables else "it has none")
                at = item.offset + 1 + found.start()
                self.findings.error(at, f"'{found.group()}' is not a variable of what is worded", known)
                return None
        return Phrase.of(item.text.strip(), variables)

    def read_noun(self, item: Item) -> None:
        """Read ``(TYPE "noun" "nouns")``."""
        words = self._words(item, (2, 3), '(block "block" "blocks")')
        if words is None:
            return
        known = self.known["object"]
        if words[0] not in known:
            self.findings.error(item.offset, f"the domain has no type '{words[0]}'", did_you_mean(words[0], known))
            return
        self.nouns[words[0]] = new_noun(words[1], {"plural": words[2]} if len(words) > 2 else None)

    def read_name(self, item: Item) -> None:
        """Read ``(OBJECT "what it is called")``."""
        words = self._words(item, (2,), '(table1 "the kitchen table")')
        if words is not None:
            self.names[words[0]] = words[1]

    def _words(self, item: Item, sizes: tuple[int, ...], example: str) -> list[str] | None:
        items = item.items if isinstance(item, Form) else ()
        texts = [each for each in items[1:] if isinstance(each, Text) and each.text.strip()]
        if len(items) not in sizes or len(texts) != len(items) - 1 or not isinstance(items[0], Word):
            self.findings.error(item.offset, f"a name and its words are expected here, not '{short(item)}'", example)
            return None
        return [items[0].text, *(each.text.strip() for each in texts)]


def _check_domain(form: Form, domain: Domain, findings: Findings) -> None:
    found = name(form.items[1], "the name of the domain", findings) if len(form.items) == 2 else None
    if len(form.items) != 2:
        findings.error(form.offset, "':domain' takes one name")
    elif found is not None and found != domain.name:
        message = f"these wordings are for the domain '{found}', not '{domain.name}'"
        findings.error(form.items[1].offset, message, did_you_mean(found, [domain.name]))


def _wordings(source: Source, domain: Domain) -> Wordings:
    findings = Findings(source)
    _, _, forms = read_own_sections(findings, "wordings", SECTIONS, repeatable=True)
    reader = _Reader(domain, findings)
    for form in forms:
        if form.head == ":domain":
            _check_domain(form, domain, findings)
        elif form.head == ":say":
            reader.say(form)
        elif form.head in (":nouns", ":names"):
            for each in form.items[1:]:
                (reader.read_noun if form.head == ":nouns" else reader.read_name)(each)
    findings.close()
    said = reader.said
    return Wordings(
        predicates=said["predicate"],
        negations=said["not"],
        goals=said["goal"],
        actions=said["action"],
        objects=said["object"],
        nouns=reader.nouns,
        names=reader.names,
    )


__all__ = ["SUFFIX", "load_wordings", "parse_wordings"]
