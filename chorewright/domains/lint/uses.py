"""Which names a domain reads and changes, and which parts of the language it uses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chorewright.domains.arithmetic import all_conditions, all_effects, number_changes
from chorewright.domains.pddl import subformulas, syntax
from chorewright.domains.pddl.subformulas import terms_in


def conditions_of(domain: syntax.Domain) -> Iterator[syntax.Formula]:
    """Yield all conditions of a domain, those of constraints and preferences included."""
    yield from all_conditions(domain)
    for action in domain.actions:
        for preference in action.preferences:
            yield from preference.conditions
    for constraint in domain.constraints:
        yield from constraint.conditions


@dataclass(frozen=True, slots=True)
class Uses:
    """What a domain does with its names.

    Attributes:
        read: Predicates that conditions name.
        wanted: Those that must be true somewhere.
        added: Predicates that effects or axioms make true.
        deleted: Predicates that effects make false.
        values: Functions that conditions, amounts or durations read.
        changed: Functions that effects change.
        assigned: Functions that effects give a value, whatever it was.
        types: Types that variables and constants are declared with.
        terms: Variables and constants that are named.
    """

    read: frozenset[str]
    wanted: frozenset[str]
    added: frozenset[str]
    deleted: frozenset[str]
    values: frozenset[str]
    changed: frozenset[str]
    assigned: frozenset[str]
    types: frozenset[str]
    terms: frozenset[str]

    @classmethod
    def of(cls, domain: syntax.Domain) -> Uses:
        conditions, effects = list(conditions_of(domain)), list(all_effects(domain))
        atoms = [each for condition in conditions for each in subformulas.atoms_with_signs(condition)]
        simple = [each for effect in effects for each in subformulas.simple_effects(effect)]
        changes = list(number_changes(domain))
        amounts = [each for part in changes for each in subformulas.function_terms(part.amount)]
        amounts += [each for condition in conditions for each in subformulas.numbers_in(condition)]
        heads = [axiom.head.name for axiom in domain.axioms]
        return cls(
            frozenset(atom.predicate for atom, _ in atoms),
            frozenset(atom.predicate for atom, positive in atoms if positive),
            frozenset([*heads, *(part.atom.predicate for part in simple if isinstance(part, syntax.AddEffect))]),
            frozenset(part.atom.predicate for part in simple if isinstance(part, syntax.DeleteEffect)),
            frozenset(each.function for each in amounts),
            frozenset(part.target.function for part in changes),
            frozenset(part.target.function for part in changes if part.operator == "assign"),
            frozenset(name for each in variables_of(domain) for name in each.types),
            frozenset(term for condition in conditions for term in terms_in(condition))
            | frozenset(term for effect in effects for term in terms_of_effect(effect)),
        )


def variables_of(domain: syntax.Domain) -> Iterator[syntax.Typed]:
    """Yield all variables that a domain declares, and its constants."""
    yield from domain.constants
    for signature in (*domain.predicates, *domain.functions, *(axiom.head for axiom in domain.axioms)):
        yield from signature.parameters
    for action in domain.all_actions:
        yield from action.parameters
    for condition in conditions_of(domain):
        for part in subformulas.subformulas(condition):
            yield from subformulas.own_variables(part)
    for effect in all_effects(domain):
        for inner in subformulas.subeffects(effect):
            if isinstance(inner, syntax.ForallEffect):
                yield from inner.variables
    for constraint in domain.constraints:
        yield from (*constraint.variables, *constraint.shared)


def terms_of_effect(effect: syntax.Effect) -> Iterator[str]:
    """Yield the variables and objects that an effect names, its conditions included."""
    for condition in subformulas.conditions_in(effect):
        yield from terms_in(condition)
    for part in subformulas.simple_effects(effect):
        match part:
            case syntax.AddEffect(atom) | syntax.DeleteEffect(atom):
                yield from atom.terms
            case syntax.IncreaseCost() | syntax.ChangeNumber():
                for read in (part.target, *subformulas.function_terms(part.amount)):
                    yield from read.terms


def terms_of_action(action: syntax.Action | syntax.DurativeAction) -> frozenset[str]:
    """Return the variables and objects that an action names besides its parameters."""
    found: list[str] = []
    if isinstance(action, syntax.Action):
        found += [*terms_in(action.precondition), *terms_of_effect(action.effect)]
        found += [term for each in action.preferences for part in each.conditions for term in terms_in(part)]
    else:
        timed = [*action.durations, *action.conditions]
        for effect in action.effects:
            timed += effect.conditions
            found += terms_of_effect(effect.effect)
        found += [term for each in timed for term in terms_in(each.condition)]
    return frozenset(found)


# The parts of the language, by the requirements that stand for them.


INCLUDED = {
    ":adl": (
        ":typing",
        ":negative-preconditions",
        ":disjunctive-preconditions",
        ":equality",
        ":existential-preconditions",
        ":universal-preconditions",
        ":conditional-effects",
    ),
    ":quantified-preconditions": (":existential-preconditions", ":universal-preconditions"),
    ":fluents": (":numeric-fluents", ":action-costs"),
    ":numeric-fluents": (":action-costs",),
    ":negation": (":negative-preconditions",),
}
"""Requirements that stand for others."""

OF_PROBLEMS = frozenset((":strips", ":preferences", ":constraints", ":timed-initial-literals"))
"""Requirements that problems may need although the domain does not."""


def features(domain: syntax.Domain) -> dict[str, syntax.Position | None]:
    """Return the requirements that a domain uses, each with the place of its first use."""
    found: dict[str, syntax.Position | None] = {}
    if typed := next((each for each in variables_of(domain) if each.types not in (("object",), ())), None):
        found[":typing"] = typed.position
    if domain.types:
        found.setdefault(":typing", domain.types[0].position)
    for action in domain.all_actions:
        for name in _features_of(action):
            found.setdefault(name, action.position)
    for axiom in domain.axioms:
        for name in (":derived-predicates", *_of_formula(axiom.body)):
            found.setdefault(name, axiom.position)
    for constraint in domain.constraints:
        found.setdefault(":constraints", constraint.position)
    return found


def _features_of(action: syntax.Action | syntax.DurativeAction) -> Iterator[str]:
    if isinstance(action, syntax.DurativeAction):
        yield ":durative-actions"
        if len(action.durations) != 1 or getattr(action.durations[0].condition, "operator", "=") != "=":
            yield ":duration-inequalities"
        for timed in (*action.durations, *action.conditions):
            yield from _of_formula(timed.condition, durations=timed in action.durations)
        for change in action.effects:
            if change.variables or change.conditions:
                yield ":conditional-effects"
            for timed in change.conditions:
                yield from _of_formula(timed.condition)
            yield from _of_effect(change.effect)
        return
    if action.preferences:
        yield ":preferences"
    yield from _of_formula(action.precondition)
    yield from _of_effect(action.effect)


def _of_formula(formula: syntax.Formula, durations: bool = False) -> Iterator[str]:
    for part in subformulas.subformulas(formula):
        match part:
            case syntax.Not(syntax.Atom()):
                yield ":negative-preconditions"
            case syntax.Equals():
                yield ":equality"
            case syntax.Or() | syntax.Imply():
                yield ":disjunctive-preconditions"
            case syntax.Exists():
                yield ":existential-preconditions"
            case syntax.Forall():
                yield ":universal-preconditions"
            case syntax.Comparison() if not durations or any(
                each.function != syntax.DURATION for each in subformulas.numbers_in(part)
            ):
                yield ":numeric-fluents"
            case _:
                pass


def _of_effect(effect: syntax.Effect) -> Iterator[str]:
    for part in subformulas.subeffects(effect):
        match part:
            case syntax.WhenEffect(condition, _):
                yield ":conditional-effects"
                yield from _of_formula(condition)
            case syntax.ForallEffect():
                yield ":conditional-effects"
            case syntax.IncreaseCost():
                yield ":action-costs"
            case syntax.ChangeNumber():
                yield ":numeric-fluents"
            case _:
                pass
