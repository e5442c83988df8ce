"""A problem as it is played: what holds, what can be done now, and what an action changes.

An operator that cannot be run watches one of the literals that it lacks. Only when that becomes true does it look for
another one, so a step costs what it changes, not what there is. Schemas whose preconditions are no conjunctions of
literals are asked by joins, and only after something changed that they speak of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import TypeAlias

from chorewright.domains.evaluation import holds, satisfying
from chorewright.domains.facts import VALUE, Facts
from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.subformulas import conjuncts, subeffects
from chorewright.domains.pddl.syntax import Atom, Formula, GroundAtom, Not, State
from chorewright.domains.rewriting import predicates_mentioned_in
from chorewright.planner.grounding.normal_form import atoms_changed
from chorewright.planner.plan import GroundAction
from chorewright.planner.progression import applicable
from chorewright.planner.validation import PlanWorld

Atoms: TypeAlias = tuple[GroundAtom, ...]


class RunningProblem:
    """One run of a problem; ``reset`` begins it anew.

    Attributes:
        table: The problem's operators.
        solved: Whether the goal holds.
    """

    def __init__(self, table: OperatorTable) -> None:
        self.table = table
        self._goal = _ground_literals(table)
        self._asked = [_Asked(table, each) for each in table.asked]
        conditional = None in (self._goal, *[each.changes for each in table.schemas.values()])
        self._by_joins = conditional or table.world.numeric or bool(table.asked or table.world.domain.axioms)
        self.reset()

    def reset(self) -> None:
        """Begin in the initial state."""
        table = self.table
        self._facts = Facts(set(table.world.initial()))
        self._truth = bytearray(2 * len(table.atoms))
        self._truth[1::2] = bytes([1]) * len(table.atoms)
        for atom in self._facts.atoms:
            number = table.atom(atom)
            self._truth[number], self._truth[number + 1] = 1, 0
        self._watching: list[list[int]] = [[] for _ in range(len(self._truth))]
        self._runnable: set[int] = set()
        self._place(range(table.watched))
        for each in self._asked:
            each.operators = None
        self._listed: tuple[int, ...] | None = None
        self.solved = self._goal_holds()

    def runnable(self) -> tuple[int, ...]:
        """Return the numbers of the operators that can be run now, by the domain's order, then that of the objects."""
        if self._listed is None:
            if not self._asked:
                self._listed = tuple(sorted(self._runnable))
            else:
                found = [*self._runnable]
                for each in self._asked:
                    found += each.numbers(self._facts)
                self._listed = tuple(sorted(found, key=self.table.keys.__getitem__))
        return self._listed

    def can_run(self, operator: int) -> bool:
        """Return whether an operator can be run now."""
        if operator < self.table.watched:
            return operator in self._runnable
        return operator in self.runnable()

    def run(self, operator: int) -> tuple[Atoms, Atoms]:
        """Run an operator that can be run now; return the atoms made true and false, derived ones included."""
        table, truth = self.table, self._truth
        changes = table.changes(operator)
        if 2 * len(table.atoms) != len(truth):
            self._make_room()
        if changes is None:
            changes = self._effects(table.operators[operator])
        gone = [each for each in changes[0] if truth[each]]
        new = [each for each in changes[1] if not truth[each]]
        if self._by_joins:
            gone, new = self._derive(gone, new)
        self._change(gone, new)
        self._listed = None
        self.solved = self._goal_holds()
        atoms = table.atoms
        return tuple([atoms[each >> 1] for each in new]), tuple([atoms[each >> 1] for each in gone])

    def holds(self, atom: GroundAtom) -> bool:
        """Return whether an atom is true."""
        return bool(self._truth[self._number(atom)])

    def state(self) -> State:
        """Return the true atoms, derived ones included."""
        truth = self._truth
        return frozenset(atom for place, atom in enumerate(self.table.atoms[: len(truth) // 2]) if truth[2 * place])

    def facts(self) -> Facts:
        """Return the true atoms, indexed; they must not be changed."""
        return self._facts if self._by_joins else Facts(self.state())

    def jump(self, state: State) -> None:
        """Go on from another state, derived atoms included."""
        present = self.state()
        gone = [self._number(each) for each in present - state]
        new = [self._number(each) for each in state - present]
        if self._by_joins:
            self._facts.change(present - state, state - present)
            for each in self._asked:
                each.operators = None
        self._change(gone, new)
        self._listed, self.solved = None, self._goal_holds()

    def _change(self, gone: Sequence[int], new: Sequence[int]) -> None:
        """Set the truth of literals, and bring the runnable operators up to date."""
        truth, needs = self._truth, self.table.needs
        for each in gone:
            truth[each], truth[each + 1] = 0, 1
        for each in new:
            truth[each], truth[each + 1] = 1, 0
        false = [*gone, *[each + 1 for each in new]]
        stopped = [each for each in self._runnable if not needs[each].isdisjoint(false)]
        self._runnable.difference_update(stopped)
        watching = self._watching
        for operator in stopped:
            for literal in false:
                if literal in needs[operator]:
                    watching[literal].append(operator)
                    break
        for literal in (*new, *[each + 1 for each in gone]):
            waiting = watching[literal]
            if waiting:
                watching[literal] = []
                self._place(waiting)

    def _place(self, operators: Sequence[int]) -> None:
        """Let operators watch a literal that they lack, or count them among those that can be run."""
        truth, watching, needs, runnable = self._truth, self._watching, self.table.needs, self._runnable
        for operator in operators:
            for literal in needs[operator]:
                if not truth[literal]:
                    watching[literal].append(operator)
                    break
            else:
                runnable.add(operator)

    def _effects(self, action: GroundAction) -> tuple[tuple[int, ...], tuple[int, ...]]:
        deleted, added = self.table.world.effects(action, self._facts)
        gone = tuple(self._number(each) for each in sorted(deleted - added))
        return gone, tuple(self._number(each) for each in sorted(added))

    def _derive(self, gone: list[int], new: list[int]) -> tuple[list[int], list[int]]:
        """Change the indexed atoms, and return the changes with those of derived atoms."""
        atoms, world = self.table.atoms, self.table.world
        removed, added = [atoms[each >> 1] for each in gone], [atoms[each >> 1] for each in new]
        touched = {each[0] for each in (*removed, *added)}
        if world.domain.axioms:
            before = frozenset(self._facts.atoms)
            after = world.closed((before - frozenset(removed)) | frozenset(added))
            removed, added = sorted(before - after), sorted(after - before)
            self._facts = Facts(set(after))
            gone, new = [self._number(each) for each in removed], [self._number(each) for each in added]
            touched = {each[0] for each in (*removed, *added)}
        else:
            self._facts.change(removed, added)
        for each in self._asked:
            if not touched.isdisjoint(each.mentions):
                each.operators = None
        return gone, new

    def _number(self, atom: GroundAtom) -> int:
        number = self.table.atom(atom)
        self._make_room()
        return number

    def _make_room(self) -> None:
        """Count atoms that have been met since the last step among those that are false."""
        missing = len(self.table.atoms) - len(self._truth) // 2
        if missing:
            self._truth += b"\x00\x01" * missing
            self._watching += [[] for _ in range(2 * missing)]

    def _goal_holds(self) -> bool:
        if self._goal is None:
            return holds(self.table.world.problem.goal, self._facts, self.table.world.universe)
        truth = self._truth
        return all(truth[each] for each in self._goal)


class _Asked:
    """A schema whose operators are found by joins, and what was found last."""

    def __init__(self, table: OperatorTable, schema: Schema) -> None:
        self.mentions = frozenset((*predicates_mentioned_in(schema.action.precondition), VALUE))
        self.operators: list[int] | None = None
        self._table, self._action = table, schema.action

    def numbers(self, facts: Facts) -> list[int]:
        if self.operators is None:
            world = self._table.world
            found = applicable(world.domain, world.universe, facts, self._action.name)
            self.operators = [self._table.number(each) for each in found]
        return self.operators


def _ground_literals(table: OperatorTable) -> tuple[int, ...] | None:
    """The goal's literals; None if it is not a conjunction of ground literals of predicates that are not derived."""
    found = []
    for part in conjuncts(table.world.problem.goal):
        atom: Formula = part.operand if isinstance(part, Not) else part
        if not isinstance(atom, Atom):
            return None
        found.append(table.atom((atom.predicate, *atom.terms)) + (atom is not part))
    return tuple(dict.fromkeys(found))


# The ground operators of a problem, numbered, and what each needs and changes.
#
# Atoms have even numbers. The number of an atom is the literal that it is true, the next number the literal that it
# is false. Schemas whose preconditions are conjunctions of literals are put in beforehand, as far as types, equality
# and predicates that never change allow; operators of other schemas are numbered when they are met.


MOST_OPERATORS = 20_000
"""A schema with more operators than this is not put in beforehand."""


@dataclass(frozen=True, slots=True)
class SchemaLiteral:
    """An atom over an action's parameters and the domain's constants, by their places, and whether it is negated."""

    predicate: str
    places: tuple[int, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class Schema:
    """An action, taken apart as far as it consists of literals.

    Attributes:
        action: The action.
        place: Its place in the domain.
        fixed: The parts of its precondition that never change.
        needs: The other parts; None if one of them is no literal.
        changes: The atoms that its effect adds and deletes; None if some depend on the state.
    """

    action: syntax.Action
    place: int
    fixed: syntax.Formula
    needs: tuple[SchemaLiteral, ...] | None
    changes: tuple[tuple[SchemaLiteral, ...], tuple[SchemaLiteral, ...]] | None


@dataclass(slots=True)
class OperatorTable:
    """The operators of one problem; it grows while the problem is played, and several plays can share it.

    Attributes:
        world: The problem, ready to run actions.
        atoms: The atoms by half of their numbers.
        operators: The operators by number.
        needs: The literals that each operator needs; empty for one that was not put in beforehand.
        keys: By which operators are sorted: their schema's place, and their objects' places.
        numbers: The number of each operator.
        watched: How many operators were put in beforehand.
        asked: The schemas that were not.
        schemas: All schemas by name.
    """

    world: PlanWorld
    atoms: list[syntax.GroundAtom] = field(default_factory=list)
    operators: list[GroundAction] = field(default_factory=list)
    needs: list[frozenset[int]] = field(default_factory=list)
    keys: list[tuple[int, ...]] = field(default_factory=list)
    watched: int = 0
    asked: tuple[Schema, ...] = ()
    _atom_numbers: dict[syntax.GroundAtom, int] = field(default_factory=dict)
    numbers: dict[GroundAction, int] = field(default_factory=dict)
    schemas: dict[str, Schema] = field(default_factory=dict)
    _changes: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = field(default_factory=dict)

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
            table.schemas[schema.action.name] = schema
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
        return self._add(self.schemas[action.name], action.arguments, False) if found is None else found

    def changes(self, operator: int) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """Return the atoms that an operator deletes and adds; None if that depends on the state."""
        if operator not in self._changes:
            action = self.operators[operator]
            changes = self.schemas[action.name].changes
            if changes is None:
                return None
            adds, deletes = (tuple(dict.fromkeys(self._ground(each, action.arguments))) for each in changes)
            self._changes[operator] = tuple([each for each in deletes if each not in adds]), adds
        return self._changes[operator]

    def _instances(self, schema: Schema, facts: Facts) -> list[tuple[str, ...]] | None:
        """The arguments that a schema can have, in order; None if they are too many."""
        parameters, universe, rank = schema.action.parameters, self.world.universe, self.world.universe.rank
        if schema.fixed == syntax.And(()):
            every = product(*(universe.members(each.types) for each in parameters))
            found = list(islice(every, MOST_OPERATORS + 1))
            return None if len(found) > MOST_OPERATORS else found
        allowed = satisfying(syntax.Exists(parameters, schema.fixed), facts, universe, ordered=False)
        found = [tuple(each.values()) for each in islice(allowed, MOST_OPERATORS + 1)]
        return None if len(found) > MOST_OPERATORS else sorted(found, key=lambda each: tuple(map(rank.get, each)))

    def _add(self, schema: Schema, arguments: tuple[str, ...], watched: bool) -> int:
        action = GroundAction(schema.action.name, arguments)
        number = self.numbers[action] = len(self.operators)
        self.operators.append(action)
        needs = schema.needs if watched and schema.needs is not None else ()
        self.needs.append(frozenset(self._ground(needs, arguments)))
        rank = self.world.universe.rank
        self.keys.append((schema.place, *[rank[each] for each in arguments]))
        return number

    def _ground(self, literals: Sequence[SchemaLiteral], arguments: tuple[str, ...]) -> list[int]:
        row = (*arguments, *[each.name for each in self.world.domain.constants])
        return [self.atom((each.predicate, *[row[place] for place in each.places])) + each.negated for each in literals]


def changing_predicates(domain: syntax.Domain) -> frozenset[str]:
    """Return the predicates that actions change, and those that are derived."""
    added, deleted = atoms_changed(domain)
    return added | deleted | {each.head.name for each in domain.axioms}


def _schemas_of(domain: syntax.Domain, fluent: frozenset[str], numeric: bool) -> Iterator[Schema]:
    for place, action in enumerate(domain.actions):
        fixed: list[syntax.Formula] = []
        needs: list[SchemaLiteral] | None = []
        names = [each.name for each in (*action.parameters, *domain.constants)]
        for part in conjuncts(action.precondition):
            inner = part.operand if isinstance(part, syntax.Not) else part
            if isinstance(inner, syntax.Equals) or (isinstance(inner, syntax.Atom) and inner.predicate not in fluent):
                fixed.append(part)
            elif isinstance(inner, syntax.Atom) and needs is not None:
                needs.append(_literal(inner, names, inner is not part))
            else:
                needs = None
        changes = _plain_changes(action.effect, names, numeric)
        yield Schema(action, place, syntax.And(tuple(fixed)), None if needs is None else tuple(needs), changes)


def _literal(atom: syntax.Atom, names: list[str], negated: bool = False) -> SchemaLiteral:
    return SchemaLiteral(atom.predicate, tuple(map(names.index, atom.terms)), negated)


def _plain_changes(
    effect: syntax.Effect, names: list[str], numeric: bool
) -> tuple[tuple[SchemaLiteral, ...], tuple[SchemaLiteral, ...]] | None:
    """The atoms that an effect adds and deletes; None if that depends on the state."""
    parts = [*subeffects(effect)][::-1]
    changing = syntax.WhenEffect | syntax.ForallEffect | syntax.ChangeNumber
    if any(isinstance(each, changing) or (numeric and isinstance(each, syntax.IncreaseCost)) for each in parts):
        return None
    adds = [_literal(each.atom, names) for each in parts if isinstance(each, syntax.AddEffect)]
    deletes = [_literal(each.atom, names) for each in parts if isinstance(each, syntax.DeleteEffect)]
    return tuple(adds), tuple(deletes)
