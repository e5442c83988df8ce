"""Lifting: a domain in normal form as join rules over predicates, before any object is known.

There is one rule for each action's applicability, for each conditional effect, each axiom, and each
disjunction or existential that guards them. Conditions that only the absence of an atom can satisfy are
taken as satisfied, or, for ``strict`` rules, become predicates of their own that deletions derive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from chorewright.domains.pddl.subformulas import Hierarchy, hierarchy, ordered_variables
from chorewright.domains.pddl.syntax import TRUE, And, Atom, Domain, Equals, Exists, Formula, Not, Or
from chorewright.planner.grounding import normal_form
from chorewright.planner.grounding.joins import tables
from chorewright.planner.grounding.joins.rules import AtomPattern, Filter, JoinRule
from chorewright.planner.grounding.numbering import TypeSets, signatures


@dataclass(frozen=True, slots=True)
class EffectRule:
    """A conditional effect and its instances' columns: the action's parameters it uses, then its own."""

    effect: normal_form.ConditionalEffect
    predicate: int
    columns: tuple[str, ...]
    shared: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ActionRule:
    """An action, the predicate whose atoms are its instances, and its effects."""

    action: normal_form.NormalAction
    predicate: int
    unconditional: tuple[normal_form.ConditionalEffect, ...]
    conditional: tuple[EffectRule, ...]


@dataclass(frozen=True, slots=True)
class AxiomRule:
    axiom: normal_form.NormalAxiom
    predicate: int
    columns: tuple[str, ...]


@dataclass(slots=True)
class _Builder:
    """Collects predicates, type sets and rules while a domain is compiled.

    The absence of an atom of a ``strict`` predicate must be derived: ``absent`` has the predicates that
    stand for it.
    """

    hierarchy: Hierarchy
    static: frozenset[str]
    constants: dict[str, int]
    predicates: dict[str, int]
    arities: list[int]
    type_sets: dict[tuple[str, ...], int] = field(default_factory=dict)
    rules: list[JoinRule] = field(default_factory=list)
    strict: frozenset[str] = frozenset()
    absent: dict[str, int] = field(default_factory=dict)

    def predicate(self, name: str, arity: int) -> int:
        number = self.predicates.setdefault(name, len(self.arities))
        if number == len(self.arities):
            self.arities.append(arity)
        return number

    def absence(self, predicate: str) -> int:
        """The predicate of a strict predicate's absent atoms."""
        number = self.absent.get(predicate)
        if number is None:
            number = self.absent[predicate] = self.predicate(
                f"not {predicate}", self.arities[self.predicates[predicate]]
            )
        return number

    def type_set(self, types: tuple[str, ...]) -> int:
        return self.type_sets.setdefault(types, len(self.type_sets))

    def add(self, head: tuple[int, Sequence[str]], body: Formula, types: Mapping[str, tuple[str, ...]]) -> None:
        """Add a rule whose variables are the head's and the body's; nothing if the body is never true.

        A disjunction over many variables is a rule for each of its operands instead.
        """
        for each in _narrow_alternatives(body):
            draft = _Draft(self, dict(types))
            if draft.relax(each):
                draft.finish(head)


@dataclass(slots=True)
class _Draft:
    """One rule under construction; variables get numbers as they are met."""

    builder: _Builder
    types: dict[str, tuple[str, ...]]
    numbers: dict[str, int] = field(default_factory=dict)
    body: list[AtomPattern] = field(default_factory=list)
    filters: list[Filter] = field(default_factory=list)

    def term(self, name: str) -> int:
        if name.startswith("?"):
            return self.numbers.setdefault(name, len(self.numbers))
        return -self.builder.constants[name] - 1

    def relax(self, formula: Formula) -> bool:
        """Add a formula's relaxed conditions; False if it can never hold."""
        for part in normal_form.conjuncts(formula):
            match part:
                case Atom(predicate, terms):
                    pattern = AtomPattern(self.builder.predicates[predicate], tuple(map(self.term, terms)))
                    self.body.append(pattern)
                case Equals(left, right):
                    self.filters.append(Filter(tables.SAME, (self.term(left), self.term(right))))
                case Not(Equals(left, right)):
                    self.filters.append(Filter(tables.DIFFERENT, (self.term(left), self.term(right))))
                case Not(Atom(predicate, terms)) if predicate in self.builder.static:
                    number = self.builder.predicates[predicate]
                    self.filters.append(Filter(tables.ABSENT, tuple(map(self.term, terms)), number))
                case Not(Atom(predicate, terms)) if predicate in self.builder.strict:
                    number = self.builder.absence(predicate)
                    self.body.append(AtomPattern(number, tuple(map(self.term, terms))))
                case Exists(variables, body):
                    for variable in variables:
                        self.types[variable.name] = variable.types
                        self.term(variable.name)
                    if not self.relax(body):
                        return False
                case Or(operands):
                    if not operands:
                        return False
                    if not _always(part, self.builder.static | self.builder.strict):
                        self._disjunction(part)
                case And():
                    if not self.relax(part):
                        return False
                case _:
                    pass
        return True

    def _disjunction(self, formula: Or) -> None:
        """A predicate of its own for a disjunction (or nothing, if it would range over too many objects)."""
        if _is_wide(formula):
            return
        variables = ordered_variables(formula)
        number = self.builder.predicate(f"or {len(self.builder.arities)}", len(variables))
        for operand in formula.operands:
            self.builder.add((number, variables), operand, self.types)
        self.body.append(AtomPattern(number, tuple(map(self.term, variables))))

    def finish(self, head: tuple[int, Sequence[str]]) -> None:
        pattern = AtomPattern(head[0], tuple(map(self.term, head[1])))
        sets = [-1] * len(self.numbers)
        for name, number in self.numbers.items():
            types = self.types[name]
            sets[number] = -1 if types == ("object",) else self.builder.type_set(types)
        body = tuple(dict.fromkeys(self.body))
        self.builder.rules.append(JoinRule(pattern, body, tuple(self.filters), tuple(sets)).unify())


MOST_UNBOUND = 2
"""Variables of a disjunction's operand that no atom binds, at most, for a predicate of its own."""

MOST_RULES = 16
"""Rules that the disjunctions of one condition make, at most; those beyond it are left out of the relaxation."""


def _is_wide(formula: Or) -> bool:
    """Whether a predicate of its own for a disjunction would range over too many objects."""
    variables = ordered_variables(formula)
    guarded = [set(_find_guarded(operand)) for operand in formula.operands]
    return any(sum(v not in bound for v in variables) > MOST_UNBOUND for bound in guarded)


def _narrow_alternatives(condition: Formula) -> list[Formula]:
    """Conditions of which one holds where a condition does: wide disjunctions are replaced by their operands."""
    found: list[tuple[Formula, ...]] = [()]
    for part in normal_form.conjuncts(condition):
        choices: tuple[Formula, ...] = (part,)
        if isinstance(part, Or) and _is_wide(part) and len(found) * len(part.operands) <= MOST_RULES:
            choices = part.operands
        found = [(*parts, choice) for parts in found for choice in choices]
    return [And(parts) for parts in found]


def _always(formula: Formula, static: frozenset[str]) -> bool:
    """Whether the relaxation of a formula holds whatever its variables are."""
    match formula:
        case Atom() | Equals() | Not(Equals()):
            return False
        case Not(Atom(predicate, _)):
            return predicate not in static
        case And(operands):
            return all(_always(operand, static) for operand in operands)
        case Or(operands):
            return any(_always(operand, static) for operand in operands)
        case Exists(_, body):
            return _always(body, static)
        case _:
            return True


def _find_guarded(formula: Formula) -> tuple[str, ...]:
    """Variables that a positive atom of the formula's relaxation binds."""
    match formula:
        case Atom(_, terms):
            return tuple(t for t in terms if t.startswith("?"))
        case And(operands):
            return tuple(v for operand in operands for v in _find_guarded(operand))
        case Or(operands):
            common = [v for v in _find_guarded(operands[0]) if all(v in _find_guarded(o) for o in operands[1:])]
            return tuple(common) if operands else ()
        case Exists(_, body):
            return _find_guarded(body)
        case _:
            return ()


@dataclass(frozen=True, slots=True)
class LiftedRules:
    """A domain's rules before they are compiled; strict ones also derive absences (``absent``)."""

    predicates: Mapping[str, int]
    arities: tuple[int, ...]
    absent: Mapping[str, int]
    constants: tuple[str, ...]
    types: TypeSets
    added: frozenset[str]
    deleted: frozenset[str]
    derived: frozenset[str]
    actions: tuple[ActionRule, ...]
    axioms: tuple[AxiomRule, ...]
    rules: tuple[JoinRule, ...]
    implied: Mapping[tuple[int, int], frozenset[int]]
    any_type: int


def lift_rules(domain: Domain, known: normal_form.Known, strict: bool = False) -> LiftedRules:
    """The rules of a domain, given which predicates are never or always true in the problems to come.

    Args:
        domain: The domain.
        known: The predicates without arguments whose truth never changes.
        strict: Whether the absence of what actions change must be derived, too.

    Raises:
        LimitError: an action has too many parameters.
    """
    normal_form.check_parameters(domain.actions)
    own = signatures(domain)
    added, deleted, derived, static = own.added, own.deleted, own.derived, own.static
    predicates = {p.name: i for i, p in enumerate(domain.predicates)}
    arities = [len(p.parameters) for p in domain.predicates]
    constants = {c.name: i for i, c in enumerate(domain.constants)}
    builder = _Builder(hierarchy(domain.types), static, constants, predicates, arities)
    if strict:
        builder.strict = (added | deleted) - derived
    any_type = builder.type_set(("object",))
    normalizer = normal_form.Normalizer(known)
    actions = []
    for action in domain.actions:
        normal = normalizer.action(action)
        if normal is not None:
            actions.append(_action_rules(builder, normal))
    axioms = []
    for axiom in domain.axioms:
        for number, rule in enumerate(normalizer.axiom(axiom)):
            axioms.append(_axiom_rules(builder, rule, number))
    return LiftedRules(
        builder.predicates,
        tuple(builder.arities),
        builder.absent,
        tuple(constants),
        TypeSets(tuple(builder.type_sets), builder.hierarchy),
        added,
        deleted,
        derived,
        tuple(actions),
        tuple(axioms),
        tuple(builder.rules),
        _infer_types(builder, domain),
        any_type,
    )


def _action_rules(builder: _Builder, action: normal_form.NormalAction) -> ActionRule:
    names = tuple(p.name for p in action.parameters)
    types = {p.name: p.types for p in action.parameters}
    instances = builder.predicate(f"action {action.name}", len(names))
    exists = [part for part in normal_form.conjuncts(action.precondition) if isinstance(part, Exists)]
    others = [part for part in normal_form.conjuncts(action.precondition) if not isinstance(part, Exists)]
    for each in _narrow_alternatives(And(tuple(others))):
        draft = _Draft(builder, dict(types))
        for name in names:
            draft.term(name)
        if draft.relax(each):
            for part in exists:
                # An existential is a predicate of its own here, lest its witnesses multiply the instances.
                draft._disjunction(Or((part,)))
            draft.finish((instances, names))
    applicable = Atom(f"action {action.name}", names)
    unconditional = []
    conditional = []
    for number, effect in enumerate(action.effects):
        if effect.condition == TRUE and not effect.variables:
            unconditional.append(effect)
            _add_heads(builder, effect, applicable, types)
            continue
        conditional.append(_effect_rules(builder, action, number, effect, types, applicable))
    return ActionRule(action, instances, tuple(unconditional), tuple(conditional))


def _add_heads(
    builder: _Builder, effect: normal_form.ConditionalEffect, body: Atom, types: Mapping[str, tuple[str, ...]]
) -> None:
    """What an effect adds follows from the body; so do the absences of strict atoms that it deletes."""
    for atom in effect.adds:
        builder.add((builder.predicates[atom.predicate], atom.terms), body, types)
    for atom in effect.deletes:
        if atom.predicate in builder.strict:
            builder.add((builder.absence(atom.predicate), atom.terms), body, types)


def _effect_rules(
    builder: _Builder,
    action: normal_form.NormalAction,
    number: int,
    effect: normal_form.ConditionalEffect,
    types: Mapping[str, tuple[str, ...]],
    applicable: Atom,
) -> EffectRule:
    used = set(ordered_variables(effect.condition))
    used |= {t for atom in (*effect.adds, *effect.deletes) for t in atom.terms}
    shared = tuple(i for i, p in enumerate(action.parameters) if p.name in used)
    names = tuple(action.parameters[i].name for i in shared)
    base = applicable
    if len(shared) < len(action.parameters):
        base = Atom(f"action {action.name} {' '.join(map(str, shared))}", names)
        if base.predicate not in builder.predicates:
            builder.add((builder.predicate(base.predicate, len(shared)), names), applicable, types)
    columns = (*names, *(v.name for v in effect.variables))
    instances = builder.predicate(f"effect {action.name} {number}", len(columns))
    inner = {**types, **{v.name: v.types for v in effect.variables}}
    builder.add((instances, columns), And((base, *normal_form.conjuncts(effect.condition))), inner)
    _add_heads(builder, effect, Atom(f"effect {action.name} {number}", columns), inner)
    return EffectRule(effect, instances, columns, shared)


def _axiom_rules(builder: _Builder, axiom: normal_form.NormalAxiom, number: int) -> AxiomRule:
    names = tuple(v.name for v in axiom.variables)
    types = {v.name: v.types for v in axiom.variables}
    name = f"axiom {axiom.head.predicate} {number} {len(builder.arities)}"
    instances = builder.predicate(name, len(names))
    builder.add((instances, names), axiom.body, types)
    head = builder.predicates[axiom.head.predicate]
    builder.add((head, axiom.head.terms), Atom(name, names), types)
    return AxiomRule(axiom, instances, names)


def _infer_types(builder: _Builder, domain: Domain) -> dict[tuple[int, int], frozenset[int]]:
    """Type sets that a predicate's arguments, and an instance table's columns, surely belong to."""

    def below(types: tuple[str, ...]) -> frozenset[str]:
        return frozenset(name for each in types for name in builder.hierarchy.below(each) or (each,))

    members = {number: below(types) for types, number in builder.type_sets.items()}
    implied: dict[tuple[int, int], frozenset[int]] = {}
    for signature in domain.predicates:
        number = builder.predicates[signature.name]
        for position, parameter in enumerate(signature.parameters):
            own = below(parameter.types)
            implied[number, position] = frozenset(k for k, names in members.items() if own <= names)
    for rule in builder.rules:
        head = rule.head
        if head.predicate >= len(domain.predicates):
            for position, term in enumerate(head.terms):
                if term >= 0 and rule.types[term] >= 0:
                    own = members[rule.types[term]]
                    found = frozenset(k for k, names in members.items() if own <= names)
                    key = (head.predicate, position)
                    implied[key] = implied[key] & found if key in implied else found
    return implied
