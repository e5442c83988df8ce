"""A scene as PDDL tells it, a problem without its goal; and a key for problems that are the same but for names."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from chorewright.domains.facts import supertypes
from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.parser import parse_problem
from chorewright.domains.pddl.subformulas import conjuncts, terms_in
from chorewright.domains.pddl.writer import pddl_name, write_problem
from chorewright.domains.vocabulary import Vocabulary
from chorewright.errors import ChorewrightError
from chorewright.files.lazily import Remembered


class NoScene(ChorewrightError):
    """There is no scene for this seed; another seed may have one."""


@dataclass(frozen=True, slots=True)
class PddlScene:
    """What there is at the start, in the words of a domain.

    Attributes:
        name: What the scene is called.
        objects: The things, each with its type.
        init: The atoms that are true.
        values: Values of the domain's functions, for costs.
        minimize_cost: Whether plans shall be cheap (by ``cost_function``) rather than short.
        kind: What kind of place it is; a template's ``:rooms`` may name it.
        cost_function: The function that adds up the costs.
        metric: What else plans are measured by.
    """

    name: str
    objects: tuple[syntax.Typed, ...]
    init: tuple[syntax.GroundAtom, ...]
    values: tuple[syntax.FunctionValue, ...] = ()
    minimize_cost: bool = False
    kind: str = ""
    cost_function: str = syntax.TOTAL_COST
    metric: syntax.Metric | None = None

    @staticmethod
    def of(problem: syntax.Problem, name: str = "") -> PddlScene:
        """Return the scene of a problem, by default under the problem's name."""
        called = name or problem.name
        facts = (problem.objects, problem.init, problem.values)
        return PddlScene(
            called, *facts, problem.minimize_cost, cost_function=problem.cost_function, metric=problem.metric
        )

    def problem(self, domain: syntax.Domain, goal: syntax.Formula = syntax.TRUE, name: str = "") -> syntax.Problem:
        """Return the problem of reaching a goal from here, checked against the domain.

        Raises:
            InputErrors: The scene has types, predicates or objects that the domain does not have.
        """
        init = tuple(dict.fromkeys(self.init))
        made = syntax.Problem(
            pddl_name(name or self.name),
            domain.name,
            self.objects,
            init,
            self.values,
            goal,
            self.minimize_cost,
            self.cost_function,
            metric=self.metric,
        )
        return parse_problem(write_problem(made), domain, f"the scene {self.name}")

    def kinds(self, domain: syntax.Domain, vocabulary: Vocabulary) -> tuple[str, ...]:
        """Return the kinds of which there is something here, the domain's constants included."""
        found: dict[str, None] = {}
        for each in (*domain.constants, *self.objects):
            for name in supertypes(domain, each.types):
                kind = vocabulary.kind_of_type(name)
                if kind is not None:
                    found[kind.name] = None
        return tuple(found)


# Problems that are the same but for the names of their objects: a key that such problems share.
#
# Objects are coloured by what is said of them, again and again with the colours of their neighbours, until no colour
# splits (colour refinement, the one-dimensional Weisfeiler-Leman method). Equal problems have equal keys. Rarely,
# different problems have the same one: those that the method cannot tell apart.


Fact = tuple[str, tuple[str, ...]]
"""What is said (a predicate at the start, in the goal, a value), and of which objects."""

Colour = TypeVar("Colour", str, tuple[int, int])
"""At first an object's types; then its last colour, with a sum over all that is said of it and the others' colours."""

_WIDE = (1 << 61) - 1


def renaming_key(domain: syntax.Domain, problem: syntax.Problem) -> str:
    """Return a text that two problems of a domain share if they differ in nothing but the names of objects."""
    values = [(f"v {each.function} {each.value:g}", each.objects) for each in problem.values]
    facts, parts = _goal_facts(problem.goal)
    measure = problem.minimize_cost, problem.cost_function, problem.metric
    return _refine(_colours(domain, problem), [*_start_facts(problem), *values, *facts], parts, *measure)[0]


def told_key(domain: syntax.Domain, problem: syntax.Problem) -> str:
    """Return the key of what English tells of a problem: start and goal, without costs and things in neither.

    The start is coloured first, once for all its goals.
    """

    def look() -> tuple[str, dict[str, str]]:
        colours, said = _colours(domain, problem), {name for atom in problem.init for name in atom[1:]}
        told = {name: colour for name, colour in colours.items() if name in said}
        key, ranked = _refine(told, _start_facts(problem), [])
        return key, colours | {name: str(rank) for name, rank in ranked.items()}

    start, colours = _STARTS.of(problem.init, (domain.constants, problem.objects), look)
    named = set(terms_in(problem.goal))
    return _refine({each: colours[each] for each in colours if each in named}, *_goal_facts(problem.goal), start)[0]


_STARTS: Remembered[tuple[str, dict[str, str]]] = Remembered()


def _colours(domain: syntax.Domain, problem: syntax.Problem) -> dict[str, str]:
    colours = {each.name: f"!{each.name}" for each in domain.constants}
    return colours | {each.name: " ".join(sorted(each.types)) for each in problem.objects}


def _refine(
    colours: Mapping[str, str], facts: Sequence[Fact], parts: Sequence[syntax.Formula], *more: object
) -> tuple[str, dict[str, int]]:
    """Return a key of coloured objects, of facts and formulas about them, and of more; and their last colours."""
    plain = list(dict.fromkeys(facts))
    numbers = {tag: number for number, tag in enumerate(sorted({tag for tag, _ in plain}))}
    coded = [(numbers[tag], terms) for tag, terms in plain if len(terms) > 1]
    alone = dict.fromkeys(colours, 0)
    for tag, terms in plain:
        if len(terms) == 1:
            alone[terms[0]] += hash((numbers[tag], 0))
    ranked = _ranks(colours)
    classes = len(set(ranked.values()))
    while classes < len(ranked):
        seen = _around(coded, ranked)
        for part in parts:
            for each in ranked.keys() & set(terms_in(part)):
                digest = hashlib.sha256(_text(part, ranked, {}, each).encode()).digest()
                seen[each] += int.from_bytes(digest[:8], "big")
        ranked = _ranks({name: (ranked[name], (total + alone[name]) & _WIDE) for name, total in seen.items()})
        now = len(set(ranked.values()))
        if now == classes:
            break
        classes = now
    told = sorted([(tag, *[ranked[each] for each in terms]) for tag, terms in plain])
    initial = sorted((ranked[name], colour) for name, colour in colours.items())
    whole = repr((initial, told, sorted(_text(part, ranked, {}, "") for part in parts), *more))
    return hashlib.sha256(whole.encode()).hexdigest()[:32], ranked


def _around(facts: Sequence[tuple[int, tuple[str, ...]]], ranked: Mapping[str, int]) -> dict[str, int]:
    """Return for each object a sum over the facts with it: which facts, its place, and the colours of all.

    The hash of a tuple of whole numbers is the same in each process; a sum is the same in each order.
    """
    seen = dict.fromkeys(ranked, 0)
    for tag, terms in facts:
        row = hash((tag, *[ranked[each] for each in terms]))
        for place, each in enumerate(terms, start=1):
            seen[each] += hash((row, place))
    return seen


def _ranks(colours: Mapping[str, Colour]) -> dict[str, int]:
    """Return colours as small numbers, by the order of the colours themselves."""
    places = {each: place for place, each in enumerate(sorted(set(colours.values())))}
    return {name: places[each] for name, each in colours.items()}


def _start_facts(problem: syntax.Problem) -> list[Fact]:
    return [(f"i {atom[0]}", atom[1:]) for atom in problem.init]


def _goal_facts(goal: syntax.Formula) -> tuple[list[Fact], list[syntax.Formula]]:
    """Return a goal's literals as facts, and its other parts."""
    facts: list[Fact] = []
    rest: list[syntax.Formula] = []
    for part in conjuncts(goal):
        match part:
            case syntax.Atom(predicate, terms):
                facts.append((f"g {predicate}", terms))
            case syntax.Not(syntax.Atom(predicate, terms)):
                facts.append((f"n {predicate}", terms))
            case _:
                rest.append(part)
    return facts, rest


def _text(formula: syntax.Formula, ranked: Mapping[str, int], bound: Mapping[str, int], marked: str) -> str:
    """Return a formula with colours for objects, depths for variables, and one object marked."""

    def term(name: str) -> str:
        if name in bound:
            return f"?{bound[name]}"
        return "*" if name == marked else str(ranked.get(name, name))

    def inner(each: syntax.Formula) -> str:
        return _text(each, ranked, bound, marked)

    def amount(each: syntax.Expression) -> str:
        match each:
            case syntax.FunctionTerm(function, terms):
                return f"({function} {' '.join(map(term, terms))})"
            case syntax.Arithmetic(operator, operands):
                return f"({operator} {' '.join(map(amount, operands))})"
            case _:
                return str(each)

    match formula:
        case syntax.Comparison(operator, left, right):
            return f"({operator} {amount(left)} {amount(right)})"
        case syntax.Atom(predicate, terms):
            return f"({predicate} {' '.join(map(term, terms))})"
        case syntax.Equals(left, right):
            return f"(= {' '.join(sorted((term(left), term(right))))})"
        case syntax.Not(operand):
            return f"(not {inner(operand)})"
        case syntax.And(operands) | syntax.Or(operands):
            word = "and" if isinstance(formula, syntax.And) else "or"
            return f"({word} {' '.join(sorted(map(inner, operands)))})"
        case syntax.Imply(antecedent, consequent):
            return f"(imply {inner(antecedent)} {inner(consequent)})"
        case (
            syntax.Forall(variables, body)
            | syntax.Exists(variables, body)
            | syntax.AtLeast(variables=variables, body=body)
        ):
            deeper = {**bound, **{each.name: len(bound) + place for place, each in enumerate(variables)}}
            count = formula.count if isinstance(formula, syntax.AtLeast) else ""
            types = " ".join("/".join(each.types) for each in variables)
            return f"({type(formula).__name__} {count} ({types}) {_text(body, ranked, deeper, marked)})"
        case _:
            return repr(formula)
