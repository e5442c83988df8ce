"""The file of a problem template, ``NAME.template`` beside ``NAME.pddl``; and problems drawn from it by a seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np

from chorewright.domains.evaluation import StateQuestion
from chorewright.domains.facts import Facts, Universe, supertypes
from chorewright.domains.library import load_shipped_library, user_library
from chorewright.domains.pddl.define import check_domain_name, domain_word, limit_source, read_own_sections
from chorewright.domains.pddl.expressions import read_typed_list
from chorewright.domains.pddl.grammar import is_name, name, number, show
from chorewright.domains.pddl.parser import load_domain
from chorewright.domains.pddl.scopes import Symbols
from chorewright.domains.pddl.source import Findings, Form, Item, Source, Text, Word, read_source
from chorewright.domains.pddl.syntax import TOTAL_COST, Domain, Formula, FunctionValue, Problem, Signature, Typed
from chorewright.domains.rewriting import conjunction
from chorewright.domains.templates.words import texts
from chorewright.errors import UsageError
from chorewright.files.english import did_you_mean
from chorewright.problems.pddl import rules
from chorewright.problems.pddl.rule_forms import RuleReader
from chorewright.problems.pddl.rule_steps import ProblemDraft, Steps
from chorewright.problems.pddl.scenes import NoScene

SUFFIX = ".template"
MAX_CHARACTERS = 200_000
SECTIONS = (
    *(":domain", ":documentation", ":numbers", ":objects", ":scratch"),
    *(":init", ":require", ":goal", ":metric", ":bands"),
)


def parse_template(text: str, domain: Domain, path: str | None = None) -> rules.ProblemTemplate:
    """Parse a problem template and check it against its domain.

    Raises:
        InputErrors: All errors that were found.
        LimitError: The text is too large or nests too deep.
    """
    return _template(Source(text, path), domain)


def load_template(path: str | Path, domain: Domain) -> rules.ProblemTemplate:
    """Parse and check a file; raises as ``parse_template``, or UsageError if it cannot be read."""
    return _template(read_source(path), domain)


def template_domain(text: str, path: str | None = None) -> str | None:
    """Return the name of the domain that a template names; None if it names none or is broken."""
    word = domain_word(Findings(limit_source(Source(text, path), MAX_CHARACTERS, "template")), "template")
    return None if word is None else word.text


def _template(source: Source, domain: Domain) -> rules.ProblemTemplate:
    findings = Findings(limit_source(source, MAX_CHARACTERS, "template"))
    define, title, forms = read_own_sections(findings, "template", SECTIONS)
    sections = {form.head: form for form in forms}
    check_domain_name(sections.get(":domain"), domain, "template", findings)
    symbols = Symbols.of(domain)
    numbers = rules.read_numbers(_inside(sections, ":numbers"), symbols, findings)
    known = [each.name for each in numbers]
    objects = _objects(_inside(sections, ":objects"), known, symbols, findings)
    scratch = _scratch(_inside(sections, ":scratch"), domain, findings)
    named = [Typed(each, (one.type,)) for one in objects for each in one.names]
    wider = replace(domain, predicates=(*domain.predicates, *scratch))
    symbols = Symbols.of(wider, named)
    reader = RuleReader(symbols, frozenset(each.name for each in scratch), known, findings)
    init = reader.read_rules(_inside(sections, ":init"), {})
    goal = replace(reader, in_goal=True).read_rules(_inside(sections, ":goal"), {})
    if ":goal" not in sections:
        findings.error(define.offset, "the template has no goal", "add (:goal (...))")
    documentation, _ = texts(sections.get(":documentation"), findings)
    template = rules.ProblemTemplate(
        name=title,
        domain=domain.name,
        documentation=" ".join(" ".join(documentation).split()),
        numbers=numbers,
        objects=objects,
        scratch=scratch,
        init=init,
        goal=goal,
        require=_require(sections.get(":require"), reader),
        minimize=_metric(sections.get(":metric"), domain, findings),
        bands=_bands(_inside(sections, ":bands"), known, symbols, findings),
        path=source.path,
    )
    findings.close()
    return template


def _inside(sections: Mapping[str, Form], section: str) -> tuple[Item, ...]:
    return sections[section].items[1:] if section in sections else ()


def _objects(
    items: Sequence[Item], numbers: Sequence[str], symbols: Symbols, findings: Findings
) -> tuple[rules.ObjectCount, ...]:
    """``(block 3 6)``, ``(block ?n "b")``, ``(hand left right)``."""
    found: list[rules.ObjectCount] = []
    seen: dict[str, int] = {}
    for item in items:
        words = item.items if isinstance(item, Form) else ()
        if len(words) < 2 or not isinstance(words[0], Word):
            message = f"a type with its number or names is expected here, not '{show(item)}'"
            findings.error(item.offset, message, "write (block 3 6) or (hand left right)")
            continue
        kind = words[0].text
        if kind not in symbols.types:
            hint = did_you_mean(kind, symbols.types.above)
            findings.error(words[0].offset, f"the domain has no type '{kind}'", hint)
            continue
        if all(is_name(each) and number(show(each)) is None for each in words[1:]):
            names = tuple(show(each) for each in words[1:])
            for word, each in zip(words[1:], names, strict=True):
                if each in seen or each in symbols.objects:
                    findings.error(word.offset, f"the object '{each}' is declared twice")
                seen[each] = word.offset
            found.append(rules.ObjectCount(kind, names=names))
            continue
        last = words[-1]
        prefix, rest = (last.text, words[1:-1]) if isinstance(last, Text) else (kind, words[1:])
        if not rest or len(rest) > 2 or not is_name(Word(prefix.lower(), 0)):
            message = "objects have one number, or the lowest and the highest, and perhaps a beginning of their names"
            findings.error(item.offset, message, 'write (block 3 6) or (block ?n "b")')
            continue
        ends = [rules.read_expression(each, numbers, symbols, findings) for each in rest]
        found.append(rules.ObjectCount(kind, ends[0], ends[-1], prefix.lower()))
    return tuple(found)


def _scratch(items: Sequence[Item], domain: Domain, findings: Findings) -> tuple[Signature, ...]:
    found: list[Signature] = []
    taken = {each.name for each in domain.predicates}
    for item in items:
        if not isinstance(item, Form) or not item.items:
            findings.error(item.offset, f"a predicate in parentheses is expected here, not '{show(item)}'", "(free ?x)")
            continue
        called = name(item.items[0], "the name of a predicate", findings)
        if called in taken:
            findings.error(item.offset, f"there is a predicate '{called}' already")
        elif called is not None:
            taken.add(called)
            found.append(Signature(called, read_typed_list(item.items[1:], findings, "variable")))
    return tuple(found)


def _require(form: Form | None, reader: RuleReader) -> tuple[tuple[str, Formula], ...]:
    found, findings = [], reader.findings
    for item in form.items[1:] if form else ():
        read, drawn = reader.condition(item, {})
        if drawn:
            findings.error(item.offset, "a requirement computes no numbers", "give the number a name in (:numbers ...)")
        text = findings.source.text[item.offset : item.end] if isinstance(item, Form) and findings.source else ""
        found.append((" ".join(text.split()), read))
    return tuple(found)


def _metric(form: Form | None, domain: Domain, findings: Findings) -> str:
    """``(:metric minimize (total-cost))``."""
    if form is None:
        return ""
    function = form.items[2] if len(form.items) == 3 else None
    if function is None or show(form.items[1]) != "minimize" or not isinstance(function, Form):
        findings.error(form.offset, "a metric is written (:metric minimize (total-cost))")
        return ""
    known = [each.name for each in domain.functions if not each.parameters]
    if function.head not in known:
        hint = did_you_mean(function.head, known) or f"such functions are {', '.join(known) or 'not there'}"
        findings.error(function.offset, f"the domain has no function '{function.head}' without arguments", hint)
    return function.head


def _bands(
    items: Sequence[Item], numbers: Sequence[str], symbols: Symbols, findings: Findings
) -> tuple[rules.Band, ...]:
    """``(easy 1 8 (?n 3 4))``; without a highest cost there is no upper end."""
    found: list[rules.Band] = []
    for item in items:
        words = item.items if isinstance(item, Form) else ()
        ends = [number(each.text) for each in words[1:] if isinstance(each, Word)]
        plain = [each for each in ends if each is not None]
        if not words or not is_name(words[0]) or not 1 <= len(ends) <= 2 or len(plain) != len(ends):
            message = f"a band with its lowest and highest cost is expected here, not '{show(item)}'"
            findings.error(item.offset, message, "write (easy 1 8) or (easy 1 8 (?n 3 4))")
            continue
        low, high = plain[0], plain[1] if len(plain) > 1 else float("inf")
        if high < low:
            findings.error(words[1].offset, f"no cost is from {low:g} to {high:g}")
        if show(words[0]) in {each.name for each in found}:
            findings.error(words[0].offset, f"the band '{show(words[0])}' is given twice")
        inner: tuple[rules.NumberRange, ...] = rules.read_numbers(words[1 + len(ends) :], symbols, findings, numbers)
        found.append(rules.Band(show(words[0]), low, high, inner))
    return tuple(found)


# The domains that come with problem templates and wordings: classic ones, and the household.


FOLDER = Path(str(files("chorewright.domains"))) / "classic"


def classic_names() -> tuple[str, ...]:
    """Return the names of the shipped domains that have a problem template."""
    return tuple(sorted(path.stem for path in FOLDER.glob(f"*{SUFFIX}")))


def classic_domain(name: str) -> Domain:
    """Return a domain by its name.

    Raises:
        UsageError: There is none.
    """
    if (FOLDER / f"{name}.pddl").is_file():
        return load_domain(FOLDER / f"{name}.pddl")
    if name in user_library().domain_names():
        return load_shipped_library().domain(name)
    hint = did_you_mean(name, classic_names()) or f"domains that come with a template: {', '.join(classic_names())}"
    raise UsageError(f"there is no domain {name!r}", hint=hint)


def classic_template(name: str) -> rules.ProblemTemplate:
    """Return the template of a domain.

    Raises:
        UsageError: There is none.
    """
    if name not in classic_names():
        hint = did_you_mean(name, classic_names()) or f"templates: {', '.join(classic_names())}"
        raise UsageError(f"there is no problem template {name!r}", hint=hint)
    file = FOLDER / f"{name}{SUFFIX}"
    return load_shipped_library().remember(file, lambda: load_template(file, classic_domain(name)))


def wordings_path(name: str) -> Path | None:
    """Return the file of a shipped domain's wordings; None if there is none."""
    path = FOLDER / f"{name}.say"
    return path if path.is_file() else None


# Drawing: a problem from a template, by a seed.


MOST_OBJECTS = 100_000


def draw(
    template: rules.ProblemTemplate, domain: Domain, seed: Sequence[int], numbers: Sequence[rules.NumberRange] = ()
) -> Problem:
    """Draw one problem; see ``Drawer.draw``. For many problems make one ``Drawer``."""
    return Drawer(template, domain).draw(seed, numbers)


class Drawer:
    """Draws problems from a template: its rules are prepared once."""

    def __init__(self, template: rules.ProblemTemplate, domain: Domain) -> None:
        """Prepare a template of a domain."""
        self._template, self._domain = template, domain
        self._scratch = frozenset(each.name for each in template.scratch)
        self._steps = steps = Steps(self._scratch)
        self._numbers = {each.name: steps.amounts(each.low, each.high) for each in template.numbers}
        self._counts = [
            steps.amounts(each.low, each.high) if each.low is not None and each.high is not None else None
            for each in template.objects
        ]
        self._init = steps.body(template.init, in_goal=False)
        self._goal = steps.body(template.goal, in_goal=True)
        self._constants = Universe.of(domain).by_type
        self._above = {each.type: supertypes(domain, (each.type,)) for each in template.objects}
        self._require = [(text, StateQuestion(formula)) for text, formula in template.require]

    def draw(self, seed: Sequence[int], numbers: Sequence[rules.NumberRange] = ()) -> Problem:
        """Draw a problem.

        Args:
            seed: Whole numbers from 0; the same ones give the same problem.
            numbers: Ranges that replace those of the template, as a band's do.

        Raises:
            NoScene: A choice has nothing to choose from, or a requirement does not hold; another seed may do.
        """
        return next(self.draw_goals(seed, numbers, 1))

    def draw_goals(self, seed: Sequence[int], numbers: Sequence[rules.NumberRange], most: int) -> Iterator[Problem]:
        """Yield so many problems with the same start, the first as ``draw`` returns it, with goals of their own."""
        draft = ProblemDraft(np.random.Generator(np.random.PCG64(np.random.SeedSequence(list(seed)))))
        self._draw_numbers(draft, numbers)
        objects = tuple(self._draw_objects(draft))
        for step in self._init:
            step(draft)
        for text, question in self._require:
            if not question.holds(draft.facts, draft.universe, {}):
                raise NoScene(f"the requirement {text} does not hold")
        name, domain, metric = self._template.name, self._template.domain, self._template.minimize
        facts = frozenset(draft.facts.atoms)
        values = [FunctionValue(function, terms, value) for (function, terms), value in draft.values.items()]
        if metric and (metric, ()) not in draft.values:
            values.insert(0, FunctionValue(metric, (), 0.0))
        init = tuple([atom for atom in draft.order if atom[0] not in self._scratch])
        for _ in range(most):
            for step in self._goal:
                step(draft)
            goal = conjunction(draft.wanted) if len(draft.wanted) != 1 else next(iter(draft.wanted))
            yield Problem(name, domain, objects, init, tuple(values), goal, bool(metric), metric or TOTAL_COST)
            draft.wanted = {}
            if draft.facts.atoms != facts:
                draft.facts = Facts(facts)
                draft.facts.of("")

    def _draw_numbers(self, draft: ProblemDraft, numbers: Sequence[rules.NumberRange]) -> None:
        ranges = self._numbers | {each.name: self._steps.amounts(each.low, each.high) for each in numbers}
        for number_name in self._numbers:
            low, high = (int(amount(draft)) for amount in ranges[number_name])
            if high < low:
                raise NoScene(f"the number {number_name} has no value: from {low} to {high}")
            draft.let(number_name, int(draft.rng.integers(low, high + 1)))

    def _draw_objects(self, draft: ProblemDraft) -> list[Typed]:
        objects: list[Typed] = []
        taken: dict[str, int] = {}
        for each, ends in zip(self._template.objects, self._counts, strict=True):
            names: Sequence[str] = each.names
            if ends is not None:
                low, high = int(ends[0](draft)), int(ends[1](draft))
                count = low if low == high else int(draft.rng.integers(low, max(low, high) + 1))
                if count + len(objects) > MOST_OBJECTS:
                    raise NoScene(f"there would be more than {MOST_OBJECTS:,} objects")
                first = taken.get(each.prefix, 0)
                names = [f"{each.prefix}{first + number + 1}" for number in range(count)]
                taken[each.prefix] = first + count
            types = (each.type,)
            objects += [Typed(name, types) for name in names]
        draft.universe = self._universe(objects)
        draft.facts.of("")  # builds the indices, so that conditions never try out all objects
        return objects

    def _universe(self, objects: Sequence[Typed]) -> Universe:
        """Return what ``Universe.of`` returns; what is above a type is looked up once."""
        by_type = {kind: list(constants) for kind, constants in self._constants.items()}
        for each in objects:
            for kind in self._above[each.types[0]]:
                by_type[kind].append(each.name)
        return Universe({kind: tuple(dict.fromkeys(found)) for kind, found in by_type.items()})
