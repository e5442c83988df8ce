"""A task for other planners: equivalent, in forms that are as simple as the language allows.

``at-least`` becomes ``exists``. Effects become one list of atoms under at most one ``forall`` and one ``when``:
Fast Downward stops at deeper ones, and unified-planning drops the outer ``when``. ``either`` becomes a type of
its own. What is declared below several types is declared several times.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from chorewright.domains.arithmetic import is_numeric
from chorewright.domains.pddl import subformulas, syntax
from chorewright.domains.pddl.writer import write_domain, write_problem


def write_plain(domain: syntax.Domain, problem: syntax.Problem) -> tuple[str, str]:
    """Write a domain and a problem of it for other planners.

    Raises:
        LimitError: an ``at-least`` is too large to be expanded.
    """
    if not is_numeric(domain, problem):
        domain, problem = _with_total_cost(domain, problem)
    types = _Types(subformulas.hierarchy(domain.types), {entry.name for entry in domain.types} | {subformulas.OBJECT})
    actions = tuple(_action(action, types) for action in domain.actions)
    axioms = tuple(syntax.Axiom(_signature(axiom.head, types), _formula(axiom.body, types)) for axiom in domain.axioms)
    predicates = tuple(_signature(signature, types) for signature in domain.predicates)
    functions = tuple(_signature(signature, types) for signature in domain.functions)
    constants, objects = types.below(domain.constants), types.below(problem.objects)
    goal = _formula(problem.goal, types)
    plain = replace(
        domain,
        types=types.declarations(domain.types),
        constants=constants,
        predicates=predicates,
        functions=functions,
        axioms=axioms,
        actions=actions,
    )
    return write_domain(plain), write_problem(replace(problem, objects=objects, goal=goal))


def _with_total_cost(domain: syntax.Domain, problem: syntax.Problem) -> tuple[syntax.Domain, syntax.Problem]:
    """The same task, its metric's function called ``total-cost`` and no other function increased."""
    name = problem.cost_function
    actions = tuple(replace(action, effect=_price(action.effect, name)) for action in domain.actions)
    if name == syntax.TOTAL_COST:
        return replace(domain, actions=actions), problem
    functions = tuple(
        replace(each, name=syntax.TOTAL_COST) if each.name == name else each
        for each in domain.functions
        if each.name != syntax.TOTAL_COST
    )
    values = tuple(each for each in problem.values if each.function not in (name, syntax.TOTAL_COST))
    priced = replace(problem, values=values, cost_function=syntax.TOTAL_COST)
    return replace(domain, actions=actions, functions=functions), priced


def _price(effect: syntax.Effect, name: str) -> syntax.Effect:
    """The effect without increases of other functions; they stand under no condition."""
    match effect:
        case syntax.IncreaseCost(amount, position, function, terms):
            return syntax.IncreaseCost(amount, position) if (function, terms) == (name, ()) else syntax.AndEffect(())
        case _:
            return subformulas.with_inner(effect, lambda inner: _price(inner, name))


@dataclass(slots=True)
class _Types:
    """The domain's hierarchy, the names of all types, and the types that are made for ``either``."""

    hierarchy: subformulas.Hierarchy
    taken: set[str]
    above: dict[tuple[str, ...], str] = field(default_factory=dict)
    lower: dict[tuple[str, ...], str] = field(default_factory=dict)

    def over(self, entries: Iterable[syntax.Typed]) -> tuple[syntax.Typed, ...]:
        """Parameters and variables with one type each: the one above all its possible types."""
        return tuple(replace(entry, types=(self._over(entry.types),)) for entry in entries)

    def below(self, entries: Iterable[syntax.Typed]) -> tuple[syntax.Typed, ...]:
        """Objects with one type each: the one below all its types."""
        return tuple(replace(entry, types=(self._made(self.lower, entry.types, "-and-"),)) for entry in entries)

    def _over(self, types: tuple[str, ...]) -> str:
        highest = [
            name
            for name in types
            if not any(other != name and self.hierarchy.is_subtype(name, other) for other in types)
        ]
        return self._made(self.above, tuple(sorted(highest)), "-or-")

    def _made(self, made: dict[tuple[str, ...], str], types: tuple[str, ...], word: str) -> str:
        if len(types) == 1:
            return types[0]
        if types not in made:
            name = word.join(types)
            while name in self.taken:
                name += "-"
            self.taken.add(name)
            made[types] = name
        return made[types]

    def declarations(self, types: Iterable[syntax.Typed]) -> tuple[syntax.Typed, ...]:
        """The types, including the new ones, one parent at a time."""
        known = tuple(types)
        found = [syntax.Typed(entry.name, (parent,)) for entry in known for parent in entry.types]
        wider: dict[tuple[str, ...], str] = {(entry.name,): entry.name for entry in known}
        wider.update(self.above)
        for names, name in self.above.items():
            found += [
                syntax.Typed(name, (other,))
                for wanted, other in wider.items()
                if other != name and self.hierarchy.fits(names, wanted)
            ] or [syntax.Typed(name)]
            found += [syntax.Typed(each, (name,)) for each in names]
        for names, name in self.lower.items():
            found += [syntax.Typed(name, (each,)) for each in names]
        return tuple(found)


def _signature(signature: syntax.Signature, types: _Types) -> syntax.Signature:
    """A declaration; parameters that share a name, which means nothing here, get others."""
    parameters = types.over(signature.parameters)
    if len({entry.name for entry in parameters}) < len(parameters):
        parameters = tuple(replace(entry, name=f"?x{place}") for place, entry in enumerate(parameters))
    return replace(signature, parameters=parameters)


def _action(action: syntax.Action, types: _Types) -> syntax.Action:
    return replace(
        action,
        parameters=types.over(action.parameters),
        precondition=_formula(action.precondition, types),
        effect=_effect(flat(action), types),
    )


def _formula(formula: syntax.Formula, types: _Types) -> syntax.Formula:
    return _use_types(subformulas.expanded(formula), types)


def _use_types(formula: syntax.Formula, types: _Types) -> syntax.Formula:
    formula = subformulas.with_parts(formula, lambda part: _use_types(part, types))
    if isinstance(formula, syntax.Forall | syntax.Exists):
        return replace(formula, variables=types.over(formula.variables)) if formula.variables else formula.body
    return formula


def _effect(effect: syntax.Effect, types: _Types) -> syntax.Effect:
    if isinstance(effect, syntax.ForallEffect):
        effect = replace(effect, variables=types.over(effect.variables))
    return subformulas.with_inner(
        effect, lambda inner: _effect(inner, types), lambda condition: _formula(condition, types)
    )


def flat(action: syntax.Action) -> syntax.Effect:
    """An action's effect without nesting: a list of atoms, some under a ``forall``, a ``when`` or both.

    Costs that are numbers are added up.
    """
    draft = _Flat({entry.name for entry in action.parameters} | _variables(action.effect))
    draft.scope = {entry.name for entry in action.parameters}
    draft.add(action.effect, (), (), {})
    return syntax.AndEffect(tuple(draft.effects()))


@dataclass(slots=True)
class _Flat:
    """The parts of an effect: the variables, conditions and atoms of each.

    ``taken`` are the names of all variables, ``scope`` those that mean one thing only so far.
    """

    taken: set[str]
    scope: set[str] = field(default_factory=set)
    parts: dict[tuple[tuple[syntax.Typed, ...], tuple[syntax.Formula, ...]], list[syntax.Effect]] = field(
        default_factory=dict
    )
    cost: float | None = None

    def add(
        self,
        effect: syntax.Effect,
        variables: tuple[syntax.Typed, ...],
        conditions: tuple[syntax.Formula, ...],
        names: Mapping[str, str],
    ) -> None:
        """Add an effect that takes place for all of these variables under these conditions."""
        match effect:
            case syntax.AndEffect(effects):
                for inner in effects:
                    self.add(inner, variables, conditions, names)
            case syntax.ForallEffect(bound, inner):
                fresh = {entry.name: self._fresh(entry.name, variables) for entry in bound}
                new = tuple(replace(entry, name=fresh[entry.name]) for entry in bound)
                self.add(inner, (*variables, *new), conditions, {**names, **fresh})
            case syntax.WhenEffect(condition, inner):
                told = subformulas.rename(condition, {old: new for old, new in names.items() if old != new})
                self.add(inner, variables, (*conditions, told), names)
            case syntax.IncreaseCost(float() | int() as amount, _, function, ()) if function == syntax.TOTAL_COST:
                self.cost = (self.cost or 0.0) + amount
            case syntax.AddEffect(atom) | syntax.DeleteEffect(atom):
                terms = tuple(names.get(term, term) for term in atom.terms)
                changed = type(effect)(syntax.Atom(atom.predicate, terms))
                self.parts.setdefault((variables, conditions), []).append(changed)
            case syntax.IncreaseCost():
                self.parts.setdefault((variables, conditions), []).append(effect)
            case syntax.ChangeNumber(operator, target, amount):
                read = syntax.FunctionTerm(target.function, tuple(names.get(term, term) for term in target.terms))
                parts = self.parts.setdefault((variables, conditions), [])
                parts.append(syntax.ChangeNumber(operator, read, subformulas.rename_number(amount, names)))

    def _fresh(self, name: str, variables: Sequence[syntax.Typed]) -> str:
        """The variable's own name unless it stands for something else here already."""
        if name not in self.scope and all(entry.name != name for entry in variables):
            return name
        number = 1
        while f"{name}_{number}" in self.taken:
            number += 1
        self.taken.add(f"{name}_{number}")
        return f"{name}_{number}"

    def effects(self) -> Iterable[syntax.Effect]:
        """The parts as effects."""
        for (variables, conditions), atoms in self.parts.items():
            told = tuple(condition for condition in conditions if condition != syntax.TRUE)
            if not variables and not told:
                yield from atoms
                continue
            effect: syntax.Effect = atoms[0] if len(atoms) == 1 else syntax.AndEffect(tuple(atoms))
            if told:
                effect = syntax.WhenEffect(told[0] if len(told) == 1 else syntax.And(told), effect)
            yield syntax.ForallEffect(variables, effect) if variables else effect
        if self.cost is not None:
            yield syntax.IncreaseCost(self.cost)


def _variables(effect: syntax.Effect) -> frozenset[str]:
    """All variables that occur in an effect."""
    found: set[str] = set()
    for part in subformulas.subeffects(effect):
        match part:
            case syntax.ForallEffect(variables):
                found.update(entry.name for entry in variables)
            case syntax.WhenEffect(condition):
                found |= subformulas.variables_in(condition)
            case syntax.AddEffect(atom) | syntax.DeleteEffect(atom):
                found.update(term for term in atom.terms if term.startswith("?"))
            case _:
                pass
    return frozenset(found)
