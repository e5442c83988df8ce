"""Normal forms of conditions and effects, before any object is put in.

Conditions are brought to negation normal form with every quantified variable renamed apart. An action's
effect becomes a list of conditional effects, each with its own quantified variables and a condition without
``exists`` or ``or`` at its top, so that grounding can treat it as one join. Facts about predicates that
hold for all bindings (never true, always true) are put in on the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TypeAlias

from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.subformulas import simple_effects
from chorewright.errors import LimitError, UnsupportedError

MOST_ALTERNATIVES = 64
"""Beyond this many conjunctions a disjunction inside an effect's condition stays a disjunction."""

Names: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ConditionalEffect:
    """When ``condition`` holds for some binding of ``variables``, the atoms are added and deleted."""

    variables: tuple[syntax.Typed, ...]
    condition: syntax.Formula
    adds: tuple[syntax.Atom, ...]
    deletes: tuple[syntax.Atom, ...]


@dataclass(frozen=True, slots=True)
class NormalAction:
    name: str
    parameters: tuple[syntax.Typed, ...]
    precondition: syntax.Formula
    effects: tuple[ConditionalEffect, ...]
    costs: tuple[syntax.IncreaseCost, ...]


@dataclass(frozen=True, slots=True)
class NormalAxiom:
    """``head`` holds if the body holds for some binding of the variables."""

    variables: tuple[syntax.Typed, ...]
    head: syntax.Atom
    body: syntax.Formula


@dataclass(slots=True)
class Fresh:
    """Gives out variable names that no input can contain."""

    count: int = 0

    def name(self, variable: str) -> str:
        """A name that was not given out before, made from a variable's."""
        self.count += 1
        return f"{variable.split('#')[0]}#{self.count}"


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of whole predicates: those never true; those without arguments always true."""

    never: frozenset[str] = frozenset()
    always: frozenset[str] = frozenset()


NUMBERS = "chorewright's plan and validate know numbers"


@dataclass(frozen=True, slots=True)
class Normalizer:
    """Rewrites formulas and effects; ``known`` predicates are replaced by their truth values."""

    known: Known = field(default_factory=Known)
    fresh: Fresh = field(default_factory=Fresh)

    def formula(self, formula: syntax.Formula, names: Names | None = None, negate: bool = False) -> syntax.Formula:
        """Return the negation normal form of a formula, or of its negation.

        Args:
            formula: The formula.
            names: What its free variables are renamed to.
            negate: Whether the negation is meant.
        """
        names = names or {}
        match formula:
            case syntax.Atom(predicate, terms):
                if predicate in self.known.never:
                    return syntax.TRUE if negate else syntax.FALSE
                if predicate in self.known.always:
                    return syntax.FALSE if negate else syntax.TRUE
                atom = syntax.Atom(predicate, tuple(names.get(t, t) for t in terms))
                return syntax.Not(atom) if negate else atom
            case syntax.Equals(left, right):
                left, right = names.get(left, left), names.get(right, right)
                if left == right:
                    return syntax.FALSE if negate else syntax.TRUE
                if not left.startswith("?") and not right.startswith("?"):
                    return syntax.TRUE if negate else syntax.FALSE
                return syntax.Not(syntax.Equals(left, right)) if negate else syntax.Equals(left, right)
            case syntax.Comparison():
                raise UnsupportedError("comparisons of numbers are not supported here", hint=NUMBERS)
            case syntax.Not(operand):
                return self.formula(operand, names, not negate)
            case syntax.Imply(antecedent, consequent):
                parts = (syntax.Not(antecedent), consequent)
                return self._connect(parts, names, negate, conjunction=negate)
            case syntax.And(operands):
                return self._connect(operands, names, negate, conjunction=not negate)
            case syntax.Or(operands):
                return self._connect(operands, names, negate, conjunction=negate)
            case syntax.Forall(variables, body) | syntax.Exists(variables, body):
                variables, inner = self.rename(variables, names)
                simple = self.formula(body, inner, negate)
                return quantify(variables, simple, isinstance(formula, syntax.Exists) != negate)
            case syntax.AtLeast(count, variables, body):
                variables, inner = self.rename(variables, names)
                simple = self.formula(body, inner)
                if count <= 0:
                    return syntax.FALSE if negate else syntax.TRUE
                if simple == syntax.FALSE:
                    return syntax.TRUE if negate else syntax.FALSE
                counted = syntax.AtLeast(count, variables, simple)
                return syntax.Not(counted) if negate else counted

    def _connect(
        self, operands: Sequence[syntax.Formula], names: Names, negate: bool, *, conjunction: bool
    ) -> syntax.Formula:
        parts = [self.formula(operand, names, negate) for operand in operands]
        return conjoin(parts) if conjunction else disjoin(parts)

    def rename(
        self, variables: Sequence[syntax.Typed], names: Names
    ) -> tuple[tuple[syntax.Typed, ...], dict[str, str]]:
        """Fresh names for the variables, and the names that hold inside their quantifier."""
        fresh = {each.name: self.fresh.name(each.name) for each in variables}
        return tuple(syntax.Typed(fresh[each.name], each.types) for each in variables), {**names, **fresh}

    def effects(self, effect: syntax.Effect) -> tuple[list[ConditionalEffect], list[syntax.IncreaseCost]]:
        """The conditional effects and costs that an effect consists of.

        Raises:
            UnsupportedError: a cost depends on a condition or a quantifier.
        """
        costs: list[syntax.IncreaseCost] = []
        grouped: dict[tuple[tuple[syntax.Typed, ...], syntax.Formula], tuple[list[syntax.Atom], list[syntax.Atom]]] = {}
        for variables, condition, simple in self._leaves(effect, (), syntax.TRUE, {}):
            if isinstance(simple, syntax.IncreaseCost):
                costs.append(simple)
                continue
            adds, deletes = grouped.setdefault((variables, condition), ([], []))
            (adds if isinstance(simple, syntax.AddEffect) else deletes).append(simple.atom)
        result = []
        for (variables, condition), (adds, deletes) in grouped.items():
            for exists, conjunction in self.alternatives(condition):
                result.append(ConditionalEffect((*variables, *exists), conjunction, tuple(adds), tuple(deletes)))
        return result, costs

    def _leaves(
        self, effect: syntax.Effect, variables: tuple[syntax.Typed, ...], condition: syntax.Formula, names: Names
    ) -> Iterator[
        tuple[tuple[syntax.Typed, ...], syntax.Formula, syntax.AddEffect | syntax.DeleteEffect | syntax.IncreaseCost]
    ]:
        match effect:
            case syntax.AndEffect(effects):
                for part in effects:
                    yield from self._leaves(part, variables, condition, names)
            case syntax.ForallEffect(quantified, inner):
                renamed, inner_names = self.rename(quantified, names)
                yield from self._leaves(inner, (*variables, *renamed), condition, inner_names)
            case syntax.WhenEffect(when, inner):
                both = conjoin([condition, self.formula(when, names)])
                if both != syntax.FALSE:
                    yield from self._leaves(inner, variables, both, names)
            case syntax.AddEffect(atom):
                yield variables, condition, syntax.AddEffect(_rename(atom, names))
            case syntax.DeleteEffect(atom):
                if atom.predicate not in self.known.never:
                    yield variables, condition, syntax.DeleteEffect(_rename(atom, names))
            case syntax.IncreaseCost():
                if variables or condition != syntax.TRUE:
                    raise UnsupportedError("costs that depend on a condition or a quantifier")
                yield variables, condition, effect
            case syntax.ChangeNumber():
                raise UnsupportedError("effects that change numbers are not supported here", hint=NUMBERS)

    def alternatives(self, formula: syntax.Formula) -> list[tuple[tuple[syntax.Typed, ...], syntax.Formula]]:
        """The formula as (variables, conjunction) pairs, one of which must hold for some binding.

        A part whose disjunctive normal form would be too large is left as it is.
        """
        match formula:
            case syntax.Exists(variables, body):
                return [((*variables, *more), part) for more, part in self.alternatives(body)]
            case syntax.Or(operands):
                found = [pair for operand in operands for pair in self.alternatives(operand)]
                return found if len(found) <= MOST_ALTERNATIVES else [((), formula)]
            case syntax.And(operands):
                choices = [self.alternatives(operand) for operand in operands]
                total = 1
                for choice in choices:
                    total *= len(choice)
                if total > MOST_ALTERNATIVES:
                    choices = [
                        choice if len(choice) == 1 else [((), operand)]
                        for choice, operand in zip(choices, operands, strict=True)
                    ]
                result = []
                for combination in product(*choices):
                    variables = tuple(v for vs, _ in combination for v in vs)
                    result.append((variables, conjoin([part for _, part in combination])))
                return [pair for pair in result if pair[1] != syntax.FALSE]
            case _:
                return [((), formula)]

    def action(self, action: syntax.Action) -> NormalAction | None:
        """Normal form of an action, or None if its precondition can never hold.

        Raises:
            UnsupportedError: a cost depends on a condition or a quantifier.
        """
        precondition = self.formula(action.precondition)
        if precondition == syntax.FALSE:
            return None
        effects, costs = self.effects(action.effect)
        return NormalAction(action.name, action.parameters, precondition, tuple(effects), tuple(costs))

    def axiom(self, axiom: syntax.Axiom) -> list[NormalAxiom]:
        """An axiom as rules whose bodies are conjunctions."""
        head = syntax.Atom(axiom.head.name, tuple(p.name for p in axiom.head.parameters))
        return [
            NormalAxiom((*axiom.head.parameters, *variables), head, body)
            for variables, body in self.alternatives(self.formula(axiom.body))
        ]


def conjoin(parts: Sequence[syntax.Formula]) -> syntax.Formula:
    """Flat conjunction; nested ``and`` are merged, repeated parts dropped."""
    flat: list[syntax.Formula] = []
    for part in parts:
        for operand in part.operands if isinstance(part, syntax.And) else (part,):
            if operand == syntax.FALSE:
                return syntax.FALSE
            if operand not in flat:
                flat.append(operand)
    return flat[0] if len(flat) == 1 else syntax.And(tuple(flat))


def disjoin(parts: Sequence[syntax.Formula]) -> syntax.Formula:
    """Flat disjunction; nested ``or`` are merged, repeated parts dropped."""
    flat: list[syntax.Formula] = []
    for part in parts:
        for operand in part.operands if isinstance(part, syntax.Or) else (part,):
            if operand == syntax.TRUE:
                return syntax.TRUE
            if operand not in flat:
                flat.append(operand)
    return flat[0] if len(flat) == 1 else syntax.Or(tuple(flat))


def quantify(variables: tuple[syntax.Typed, ...], body: syntax.Formula, existential: bool) -> syntax.Formula:
    """Quantify a body in negation normal form; an empty type is not noticed here.

    A universal over a conjunction becomes a conjunction of universals, which share less.
    """
    if existential:
        if body == syntax.FALSE or not variables:
            return body
        if isinstance(body, syntax.Exists):
            return syntax.Exists((*variables, *body.variables), body.body)
        return syntax.Exists(variables, body)
    if body == syntax.TRUE or not variables:
        return body
    if isinstance(body, syntax.Forall):
        return syntax.Forall((*variables, *body.variables), body.body)
    if isinstance(body, syntax.And):
        return conjoin([quantify(variables, operand, False) for operand in body.operands])
    return syntax.Forall(variables, body)


def negation(formula: syntax.Formula) -> syntax.Formula:
    """Negation of a formula in negation normal form, in negation normal form."""
    match formula:
        case syntax.Not(operand):
            return operand
        case syntax.And(operands):
            return syntax.Or(tuple(negation(operand) for operand in operands))
        case syntax.Or(operands):
            return syntax.And(tuple(negation(operand) for operand in operands))
        case syntax.Forall(variables, body):
            return syntax.Exists(variables, negation(body))
        case syntax.Exists(variables, body):
            return syntax.Forall(variables, negation(body))
        case _:
            return syntax.Not(formula)


def _rename(atom: syntax.Atom, names: Names) -> syntax.Atom:
    return syntax.Atom(atom.predicate, tuple(names.get(t, t) for t in atom.terms))


def conjuncts(formula: syntax.Formula) -> tuple[syntax.Formula, ...]:
    """Operands of a conjunction; any other formula is its own only conjunct."""
    return formula.operands if isinstance(formula, syntax.And) else (formula,)


def atoms_changed(domain: syntax.Domain) -> tuple[frozenset[str], frozenset[str]]:
    """Predicates that some action adds, and those that some action deletes."""
    every = [action.effect for action in domain.actions]
    every += [timed.effect for action in domain.durative_actions for timed in action.effects]
    effects = [part for effect in every for part in simple_effects(effect)]
    return (
        frozenset(part.atom.predicate for part in effects if isinstance(part, syntax.AddEffect)),
        frozenset(part.atom.predicate for part in effects if isinstance(part, syntax.DeleteEffect)),
    )


def check_parameters(actions: Sequence[syntax.Action], most: int = 40) -> None:
    """Refuse actions with more parameters than grounding can handle.

    Raises:
        LimitError: an action has more than ``most`` parameters.
    """
    for action in actions:
        if len(action.parameters) > most:
            message = f"action {action.name} has {len(action.parameters)} parameters, more than the limit of {most}"
            raise LimitError(message)
