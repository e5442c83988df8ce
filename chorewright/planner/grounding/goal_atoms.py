"""The ground literals that a goal mentions, its quantifiers expanded and static atoms put in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.subformulas import hierarchy, ordered_variables, subformulas, terms_in
from chorewright.planner.grounding.normal_form import Normalizer, conjuncts, negation
from chorewright.planner.grounding.numbering import NumberedObjects, NumberedProblem, TypeSets, signatures


def constants(formula: syntax.Formula) -> Iterator[str]:
    """Names of objects in a formula."""
    return (term for term in terms_in(formula) if not term.startswith("?"))


Made = Mapping[str, Sequence[Sequence[frozenset[str]]]]
"""For a predicate and each rule that derives it, the objects that each argument may be."""


class GoalAtoms:
    """Walks a goal for the ground literals that it may need, putting static atoms in."""

    def __init__(
        self,
        initial: frozenset[syntax.GroundAtom],
        static: frozenset[str],
        objects: NumberedObjects,
        types: TypeSets,
        made: Made | None = None,
    ) -> None:
        """Walk goals of a problem.

        Args:
            initial: The atoms that hold at first.
            static: The predicates that no action changes.
            objects: The problem's objects.
            types: Knows which objects are of which types.
            made: Of what objects actions make atoms; without it, of any.
        """
        self.initial = initial
        self.static = static
        self._made = made or {}
        self._typed = objects
        self._types = types
        self._objects: dict[tuple[str, ...], list[str]] = {}

    def objects(self, types: tuple[str, ...]) -> list[str]:
        """The names of the objects that are of any of the types."""
        found = self._objects.get(types)
        if found is None:
            members = self._types.members(types, self._typed)
            found = self._objects[types] = [self._typed.names[i] for i in members]
        return found

    def truth(self, formula: syntax.Formula, binding: Mapping[str, str]) -> bool | None:
        """Truth of a literal whose variables are bound and that no action can change, else None."""
        negated = isinstance(formula, syntax.Not)
        operand = formula.operand if isinstance(formula, syntax.Not) else formula
        if isinstance(operand, syntax.Atom) and operand.predicate in self.static:
            terms = [binding.get(t, t) for t in operand.terms]
            if any(t.startswith("?") for t in terms):
                return None
            return ((operand.predicate, *terms) in self.initial) != negated
        if isinstance(operand, syntax.Atom) and operand.predicate in self._made:
            atom = (operand.predicate, *(binding.get(t, t) for t in operand.terms))
            return negated if self._never(atom) else None
        if isinstance(operand, syntax.Equals):
            left, right = binding.get(operand.left, operand.left), binding.get(operand.right, operand.right)
            if left.startswith("?") or right.startswith("?"):
                return None
            return (left == right) != negated
        return None

    def _never(self, atom: syntax.GroundAtom) -> bool:
        """Whether an atom neither holds at first nor is of objects of which an action makes such atoms."""
        if atom in self.initial or any(term.startswith("?") for term in atom[1:]):
            return False
        return not any(
            all(term in objects for term, objects in zip(atom[1:], rule, strict=True)) for rule in self._made[atom[0]]
        )

    def literals(self, formula: syntax.Formula, binding: dict[str, str]) -> Iterator[tuple[syntax.GroundAtom, bool]]:
        """Yield the ground literals that a formula in negation normal form may need.

        Static literals are put in: they are never among them, and what they decide asks for nothing.

        Args:
            formula: The formula.
            binding: The objects of its free variables.

        Yields:
            An atom, and whether it is to be true.
        """
        match formula:
            case syntax.Atom(predicate, terms):
                if predicate not in self.static:
                    yield (predicate, *(binding.get(t, t) for t in terms)), True
            case syntax.Not(syntax.Atom(predicate, terms)):
                if predicate not in self.static:
                    yield (predicate, *(binding.get(t, t) for t in terms)), False
            case syntax.And(operands):
                if all(self.truth(operand, binding) is not False for operand in operands):
                    for operand in operands:
                        yield from self.literals(operand, binding)
            case syntax.Or(operands):
                if all(self.truth(operand, binding) is not True for operand in operands):
                    for operand in operands:
                        yield from self.literals(operand, binding)
            case syntax.Exists(variables, body) | syntax.AtLeast(_, variables, body):
                for inner in self._bindings(variables, conjuncts(body), binding):
                    yield from self.literals(body, inner)
            case syntax.Forall(variables, body):
                parts = body.operands if isinstance(body, syntax.Or) else (body,)
                for inner in self._bindings(variables, [negation(part) for part in parts], binding):
                    yield from self.literals(body, inner)
            case syntax.Not(syntax.AtLeast(_, variables, body)):
                opposite = negation(body)
                for inner in self._bindings(variables, conjuncts(opposite), binding):
                    yield from self.literals(opposite, inner)
            case _:
                return

    def possible(
        self, formula: syntax.Formula, binding: dict[str, str], can: Callable[[syntax.GroundAtom, bool], bool]
    ) -> bool:
        """Whether a goal in negation normal form might hold; never wrongly False.

        Args:
            formula: The goal.
            binding: The objects of its free variables.
            can: Whether an atom (not a static one) might be true, or false if the flag is not set.
        """
        match formula:
            case syntax.Not(syntax.Atom(predicate, terms)) | syntax.Atom(predicate, terms) if (
                predicate not in self.static
            ):
                atom = (predicate, *(binding.get(t, t) for t in terms))
                return can(atom, not isinstance(formula, syntax.Not))
            case syntax.Atom() | syntax.Equals() | syntax.Not(syntax.Atom()) | syntax.Not(syntax.Equals()):
                return self.truth(formula, binding) is not False
            case syntax.And(operands):
                return all(self.truth(part, binding) is not False for part in operands) and all(
                    self.possible(part, binding, can) for part in operands
                )
            case syntax.Or(operands):
                return any(self.possible(part, binding, can) for part in operands)
            case syntax.Exists(variables, body):
                return any(
                    self.possible(body, inner, can) for inner in self._bindings(variables, conjuncts(body), binding)
                )
            case _:
                return True

    def _bindings(
        self, variables: Sequence[syntax.Typed], guards: Sequence[syntax.Formula], binding: Mapping[str, str]
    ) -> Iterator[dict[str, str]]:
        """The bindings of further variables for which no guard is a static literal that is false."""
        # A guard is tried as soon as its variables are bound.
        last = {variable.name: i for i, variable in enumerate(variables)}
        tried: list[list[Callable[[Mapping[str, str]], bool | None]]] = [[] for _ in variables]
        for guard in guards:
            if self._tells(guard) and variables:
                level = max((last.get(name, 0) for name in ordered_variables(guard)), default=0)
                tried[level].append(self._test(guard))
        domains = [self.objects(variable.types) for variable in variables]
        names = [variable.name for variable in variables]

        def bind(level: int, outer: Mapping[str, str]) -> Iterator[dict[str, str]]:
            for name in domains[level]:
                inner = {**outer, names[level]: name}
                for guard in tried[level]:
                    if guard(inner) is False:
                        break
                else:
                    if level + 1 == len(names):
                        yield inner
                    else:
                        yield from bind(level + 1, inner)

        if variables:
            yield from bind(0, binding)
        else:
            yield dict(binding)

    def _test(self, guard: syntax.Formula) -> Callable[[Mapping[str, str]], bool | None]:
        """``truth`` of a static literal, given a binding of all its variables."""
        negated = isinstance(guard, syntax.Not)
        operand = guard.operand if isinstance(guard, syntax.Not) else guard
        if not isinstance(operand, syntax.Atom):
            return partial(self.truth, guard)
        predicate, terms, initial = operand.predicate, operand.terms, self.initial
        return lambda inner: ((predicate, *[inner.get(t, t) for t in terms]) in initial) != negated

    def _tells(self, formula: syntax.Formula) -> bool:
        """Whether a formula is a literal that is static."""
        operand = formula.operand if isinstance(formula, syntax.Not) else formula
        return isinstance(operand, syntax.Equals) or (
            isinstance(operand, syntax.Atom) and operand.predicate in self.static
        )


# Objects that searches for a goal must keep: all that the goal speaks of, in any of the start states.


_MOST_LITERALS = 20_000


def goal_objects(
    domain: syntax.Domain, problem: syntax.Problem, common: syntax.State, states: Sequence[syntax.State]
) -> frozenset[str] | None:
    """Return the objects in the literals that the goal may need.

    Args:
        domain: The domain.
        problem: The problem.
        common: The atoms that all states share.
        states: The states from which the goal is to be reached.

    Returns:
        The objects' names; None if there are too many literals to look at.
    """
    varying = {atom[0] for state in states for atom in state - common}
    walker = GoalAtoms(
        common,
        signatures(domain).static - varying,
        NumberedProblem.of(domain, problem).objects,
        TypeSets((), hierarchy(domain.types)),
    )
    goal = Normalizer().formula(problem.goal)
    kept = set(constants(goal))
    for number, (atom, _) in enumerate(walker.literals(goal, {})):
        if number == _MOST_LITERALS:
            return None
        kept.update(atom[1:])
    return frozenset(kept)


def speaks_of_all(domain: syntax.Domain) -> bool:
    """Whether a condition of an action or axiom quantifies universally.

    Then objects that are left out could spoil a plan.
    """
    normalizer = Normalizer()
    conditions: list[syntax.Formula] = []
    for action in domain.actions:
        normal = normalizer.action(action)
        if normal is not None:
            conditions += [normal.precondition, *(effect.condition for effect in normal.effects)]
    for axiom in domain.axioms:
        conditions += [normalizer.formula(axiom.body), normalizer.formula(axiom.body, negate=True)]
    parts = (part for condition in conditions for part in subformulas(condition))
    return any(
        isinstance(part, syntax.Forall) or (isinstance(part, syntax.Not) and isinstance(part.operand, syntax.AtLeast))
        for part in parts
    )
