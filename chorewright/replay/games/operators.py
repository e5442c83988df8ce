"""The ground operators of a problem, numbered, and what each needs and changes.

Atoms have even numbers. The number of an atom is the literal that it is true, the next number the literal that it is
false. Schemas whose preconditions are conjunctions of literals are put in beforehand, as far as types, equality and
predicates that never change allow; operators of other schemas are numbered when they are met.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from chorewright.domains.evaluation import satisfying
from chorewright.domains.facts import Facts
from chorewright.domains.pddl import syntax
from chorewright.domains.rewriting import conjuncts
from chorewright.planner.grounding.normal_form import atoms_changed
from chorewright.planner.plan import GroundAction
from chorewright.planner.validation import PlanWorld

MOST_OPERATORS = 20_000
"""A schema with more operators than this is not put in beforehand."""


@dataclass(frozen=True, slots=True)
class NumberedLiteral:
    """An atom over an action's parameters, with whether it is to hold."""

    atom: syntax.Atom
    positive: bool


@dataclass(frozen=True, slots=True)
class Schema:
    """An action, taken apart as far as it consists of literals.

    Attributes:
        action: The action.
        place: Its place in the domain.
        fixed: The parts of its precondition that never change.
        needs: The other parts; None if one of them is no literal.
        adds, deletes: The atoms of its effect; None if some depend on the state.
    """

    action: syntax.Action
    place: int
    fixed: syntax.Formula
    needs: tuple[NumberedLiteral, ...] | None
    adds: tuple[syntax.Atom, ...] | None
    deletes: tuple[syntax.Atom, ...] | None


@dataclass(slots=True)
class OperatorTable:
    """The operators of one problem; it grows while the problem is played, and several plays can share it.

    Attributes:
        world: The problem, ready to run actions.
        atoms: The atoms by half of their numbers.
        operators: The operators by number.
        needs: The literals that each operator needs; empty for one that was not put in beforehand.
        changes: The atoms that each operator deletes and adds; None if that depends on the state.
        keys: By which operators are sorted: their schema's place, and their objects' places.
        numbers: The number of each operator.
        watched: How many operators were put in beforehand.
        asked: The schemas that were not.
    """

    world: PlanWorld
    atoms: list[syntax.GroundAtom] = field(default_factory=list)
    operators: list[GroundAction] = field(default_factory=list)
    needs: list[frozenset[int]] = field(default_factory=list)
    changes: list[tuple[tuple[int, ...], tuple[int, ...]] | None] = field(default_factory=list)
    keys: list[tuple[int, ...]] = field(default_factory=list)
    watched: int = 0
    asked: tuple[Schema, ...] = ()
    _atom_numbers: dict[syntax.GroundAtom, int] = field(default_factory=dict)
    numbers: dict[GroundAction, int] = field(default_factory=dict)
    _schemas: dict[str, Schema] = field(default_factory=dict)

    @classmethod
    def of(cls, domain: syntax.Domain, problem: syntax.Problem) -> OperatorTable:
        """Prepare a problem."""
        table = cls(PlanWorld.of(domain, problem))
        fluent = changing_predicates(domain)
        facts = Facts(table.world.initial())
        for atom in sorted(facts.atoms):
            table.atom(atom)
        asked = []
        for schema in _schemas_of(domain, fluent, table.world.numeric):
            table._schemas[schema.action.name] = schema
            found = None if schema.needs is None else table._instances(schema, facts)
            if found is None:
                asked.append(schema)
                continue
            for arguments in found:
                table._add(schema, arguments, True)
        table.watched, table.asked = len(table.operators), tuple(asked)
        return table

    def atom(self, atom: syntax.GroundAtom) -> int:
        """Return the number of an atom."""
        found = self._atom_numbers.get(atom)
        if found is None:
            found = self._atom_numbers[atom] = 2 * len(self.atoms)
            self.atoms.append(atom)
        return found

    def number(self, action: GroundAction) -> int:
        """Return the number of an operator, which can be run in some state."""
        found = self.numbers.get(action)
        return self._add(self._schemas[action.name], action.arguments, False) if found is None else found

    def _instances(self, schema: Schema, facts: Facts) -> list[tuple[str, ...]] | None:
        """The arguments that a schema can have, in order; None if they are too many."""
        names = [each.name for each in schema.action.parameters]
        allowed = satisfying(
            syntax.Exists(schema.action.parameters, schema.fixed), facts, self.world.universe, ordered=False
        )
        found = [tuple(each[name] for name in names) for each in islice(allowed, MOST_OPERATORS + 1)]
        rank = self.world.universe.rank
        return None if len(found) > MOST_OPERATORS else sorted(found, key=lambda each: tuple(map(rank.get, each)))

    def _add(self, schema: Schema, arguments: tuple[str, ...], watched: bool) -> int:
        binding = dict(zip((each.name for each in schema.action.parameters), arguments, strict=True))
        action = GroundAction(schema.action.name, arguments)
        number = self.numbers[action] = len(self.operators)
        self.operators.append(action)
        needs = schema.needs if watched and schema.needs is not None else ()
        self.needs.append(frozenset(self._ground(each.atom, binding) + (not each.positive) for each in needs))
        if schema.adds is None or schema.deletes is None:
            self.changes.append(None)
        else:
            adds = tuple(dict.fromkeys(self._ground(each, binding) for each in schema.adds))
            deletes = tuple(dict.fromkeys(self._ground(each, binding) for each in schema.deletes))
            self.changes.append((tuple(each for each in deletes if each not in adds), adds))
        rank = self.world.universe.rank
        self.keys.append((schema.place, *(rank[each] for each in arguments)))
        return number

    def _ground(self, atom: syntax.Atom, binding: dict[str, str]) -> int:
        return self.atom((atom.predicate, *(binding.get(each, each) for each in atom.terms)))


def changing_predicates(domain: syntax.Domain) -> frozenset[str]:
    """Return the predicates that actions change, and those that are derived."""
    added, deleted = atoms_changed(domain)
    return added | deleted | {each.head.name for each in domain.axioms}


def _schemas_of(domain: syntax.Domain, fluent: frozenset[str], numeric: bool) -> Iterator[Schema]:
    for place, action in enumerate(domain.actions):
        fixed: list[syntax.Formula] = []
        needs: list[NumberedLiteral] | None = []
        for part in conjuncts(action.precondition):
            inner = part.operand if isinstance(part, syntax.Not) else part
            if isinstance(inner, syntax.Equals) or (isinstance(inner, syntax.Atom) and inner.predicate not in fluent):
                fixed.append(part)
            elif isinstance(inner, syntax.Atom) and needs is not None:
                needs.append(NumberedLiteral(inner, inner is part))
            else:
                needs = None
        changes = _plain_changes(action.effect, numeric)
        adds, deletes = (None, None) if changes is None else changes
        yield Schema(action, place, syntax.And(tuple(fixed)), None if needs is None else tuple(needs), adds, deletes)


def _plain_changes(
    effect: syntax.Effect, numeric: bool
) -> tuple[tuple[syntax.Atom, ...], tuple[syntax.Atom, ...]] | None:
    """The atoms that an effect adds and deletes; None if that depends on the state."""
    adds: list[syntax.Atom] = []
    deletes: list[syntax.Atom] = []
    waiting = [effect]
    while waiting:
        match waiting.pop():
            case syntax.AddEffect(atom):
                adds.append(atom)
            case syntax.DeleteEffect(atom):
                deletes.append(atom)
            case syntax.AndEffect(effects):
                waiting.extend(effects)
            case syntax.IncreaseCost() if not numeric:
                pass
            case _:
                return None
    return tuple(adds), tuple(deletes)
