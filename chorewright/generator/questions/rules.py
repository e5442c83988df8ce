"""A domain's actions in English: what each needs, and what it brings about."""

from __future__ import annotations

from chorewright.domains.pddl.syntax import (
    TRUE,
    Action,
    AddEffect,
    And,
    AndEffect,
    DeleteEffect,
    Domain,
    Effect,
    Forall,
    ForallEffect,
    Formula,
    Imply,
    Not,
    Typed,
    WhenEffect,
)
from chorewright.domains.rewriting import conjunction, substitute
from chorewright.planner.plan import GroundAction
from chorewright.rsa.verbalise.phrases import sentence
from chorewright.rsa.verbalise.verbaliser import Verbaliser
from chorewright.rsa.verbalise.wordings import Wordings


def rules_text(domain: Domain, wordings: Wordings | None) -> str:
    """Return what each action of a domain needs and brings about, an action a line."""
    return "\n".join(_rule(domain, action, wordings) for action in domain.actions)


def _rule(domain: Domain, action: Action, wordings: Wordings | None) -> str:
    things = tuple(Typed(each.name.removeprefix("?"), each.types) for each in action.parameters)
    mapping = {each.name: thing.name for each, thing in zip(action.parameters, things, strict=True)}
    says = Verbaliser.of(domain, things, wordings)
    done = says.action(GroundAction(action.name, tuple(mapping.values())))
    needs = substitute(action.precondition, mapping)
    told = sentence(f"you can {done}" + ("" if needs == TRUE else f" if {says.formula(needs)}"))
    brought = conjunction([substitute(effect_formula(action.effect), mapping)])
    return told if brought == TRUE else f"{told} {sentence(f'then {says.formula(brought)}')}"


def effect_formula(effect: Effect) -> Formula:
    """Return an effect on atoms as the formula that it makes true; what it does to numbers is left out."""
    match effect:
        case AddEffect(atom):
            return atom
        case DeleteEffect(atom):
            return Not(atom)
        case AndEffect(effects):
            return conjunction([part for each in effects if (part := effect_formula(each)) != TRUE])
        case ForallEffect(variables, inner):
            return Forall(variables, effect_formula(inner))
        case WhenEffect(condition, inner):
            return Imply(condition, effect_formula(inner))
        case _:
            return And(())
