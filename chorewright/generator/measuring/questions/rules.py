"""A domain's actions in English: what each needs, and what it brings about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from string import ascii_lowercase

from chorewright.domains.clauses import Call, say_expression
from chorewright.domains.pddl import syntax
from chorewright.domains.phrases import Wordings, join_clauses, new_noun, words_of
from chorewright.domains.rewriting import conjunction, substitute
from chorewright.files.english import indefinite, number_word, say_list, sentence
from chorewright.planner.plan import GroundAction
from chorewright.rsa.words.guesses import common
from chorewright.rsa.words.verbaliser import Verbaliser


def rules_text(domain: syntax.Domain, wordings: Wordings | None) -> str:
    """Return what each action of a domain needs and brings about, and then what follows from what, a line each."""
    actions = [_rule(domain, action, wordings) for action in domain.actions]
    return "\n".join([*actions, *(_derivation(domain, axiom, wordings) for axiom in domain.axioms)])


def forms_text(domain: syntax.Domain) -> str:
    """Return how each action is written in PDDL, with the things of its rule, a line each: ``(stack x y)``."""
    return "\n".join(
        f"({' '.join((action.name, *(each.name for each in _name(action.parameters))))})" for action in domain.actions
    )


def conditions_text(domain: syntax.Domain, wordings: Wordings | None) -> str:
    """Return how each atom and number is written in PDDL, and how it is said, a line each."""
    told = []
    for each in (*domain.predicates, *domain.functions):
        mapping, says, _ = _things(domain, each.parameters, wordings)
        atom = (each.name, *mapping.values())
        term = syntax.FunctionTerm(each.name, atom[1:])
        said = says.atom(atom) if each in domain.predicates else say_expression(term, says.name)
        told.append(f"({' '.join(atom)}): {said}")
    return "\n".join(told)


def _name(parameters: Sequence[syntax.Typed]) -> tuple[syntax.Typed, ...]:
    """Return parameters as things; letters stand for those whose names would be read as prepositions: ``?from``."""
    names = [each.name.removeprefix("?") for each in parameters]
    for place, each in enumerate(parameters):
        if names[place] in common().prepositions:
            letters = ascii_lowercase[ascii_lowercase.find(each.types[0][0]) :] + ascii_lowercase
            names[place] = next((letter for letter in letters if letter not in names), names[place])
    return tuple(syntax.Typed(name, each.types) for name, each in zip(names, parameters, strict=True))


def _things(
    domain: syntax.Domain, parameters: Sequence[syntax.Typed], wordings: Wordings | None
) -> tuple[dict[str, str], Verbaliser, str]:
    """Parameters as things: their names, what says them, and of what types they are."""
    things = _name(parameters)
    mapping = {each.name: thing.name for each, thing in zip(parameters, things, strict=True)}
    says = Verbaliser.of(domain, things, wordings)
    return mapping, says, _kinds(things, says)


def _derivation(domain: syntax.Domain, axiom: syntax.Axiom, wordings: Wordings | None) -> str:
    """Say when a derived predicate holds."""
    head = axiom.head
    mapping, says, kinds = _things(domain, head.parameters, wordings)
    only = sum(each.head.name == head.name for each in domain.axioms) == 1
    told = says.atom((head.name, *mapping.values())) + kinds
    return sentence(f"{told} {'exactly if' if only else 'if'} {says.formula(substitute(axiom.body, mapping))}")


def _rule(domain: syntax.Domain, action: syntax.Action, wordings: Wordings | None) -> str:
    mapping, says, kinds = _things(domain, action.parameters, wordings)
    done = says.action(GroundAction(action.name, tuple(mapping.values())))
    needs = substitute(action.precondition, mapping)
    told = sentence(f"you can {done}{kinds}" + ("" if needs == syntax.TRUE else f" if {says.formula(needs)}"))
    brought = conjunction([substitute(effect_formula(action.effect), mapping)])
    clauses = [] if brought == syntax.TRUE else [says.formula(brought)]
    clauses += number_clauses(action.effect, says, lambda term: says.name(mapping.get(term, term)))
    return f"{told} {sentence(f'then {join_clauses(clauses)}')}" if clauses else told


def _kinds(things: Sequence[syntax.Typed], says: Verbaliser) -> str:
    """Say of what type each parameter is; nothing of those that may be any object."""
    told = []
    for thing in things:
        noun, name = says.kind(thing.types), says.name(thing.name)
        if noun and noun not in name:
            told.append(f"{name} is {indefinite(noun)}")
    return f" (where {join_clauses(told)})" if told else ""


_CHANGES = {
    "increase": "{} grows by {}",
    "decrease": "{} falls by {}",
    "scale-up": "{} is multiplied by {}",
    "scale-down": "{} is divided by {}",
    "assign": "{} becomes {}",
}


def number_clauses(effect: syntax.Effect, says: Verbaliser, call: Call) -> list[str]:
    """Return what an effect does to numbers, as clauses.

    Args:
        effect: The effect.
        says: Says conditions.
        call: Gives what an object or a parameter is called.
    """
    match effect:
        case syntax.IncreaseCost(amount, _, function, terms):
            return number_clauses(
                syntax.ChangeNumber("increase", syntax.FunctionTerm(function, terms), amount), says, call
            )
        case syntax.ChangeNumber(operator, target, amount):
            return [_CHANGES[operator].format(say_expression(target, call), say_expression(amount, call))]
        case syntax.AndEffect(effects):
            return [clause for each in effects for clause in number_clauses(each, says, call)]
        case syntax.WhenEffect(condition, inner):
            return [f"if {says.formula(condition)}, {clause}" for clause in number_clauses(inner, says, call)]
        case syntax.ForallEffect(_, inner):
            return number_clauses(inner, says, call)
        case _:
            return []


def effect_formula(effect: syntax.Effect) -> syntax.Formula:
    """Return an effect on atoms as the formula that it makes true, without what it does to numbers."""
    match effect:
        case syntax.AddEffect(atom):
            return atom
        case syntax.DeleteEffect(atom):
            return syntax.Not(atom)
        case syntax.AndEffect(effects):
            return conjunction([part for each in effects if (part := effect_formula(each)) != syntax.TRUE])
        case syntax.ForallEffect(variables, inner):
            return syntax.Forall(variables, effect_formula(inner))
        case syntax.WhenEffect(condition, inner):
            return syntax.Imply(condition, effect_formula(inner))
        case _:
            return syntax.And(())


def things_of(says: Verbaliser, things: Iterable[syntax.Typed], mentioned: set[str] | None = None) -> list[str]:
    """Return what there is: all things by name, or of each kind the number and those that are mentioned."""
    kinds: dict[str, list[str]] = {}
    for each in things:
        kinds.setdefault(each.types[0], []).append(each.name)
    found = []
    for kind, names in kinds.items():
        noun = says.wordings.nouns.get(kind) or new_noun(words_of(kind))
        many = noun.one if len(names) == 1 else noun.plural
        count = f"there {'is' if len(names) == 1 else 'are'} {number_word(len(names))} {many}"
        told = [says.name(name) for name in names if mentioned is None or name in mentioned]
        if not told:
            found.append(sentence(count))
        else:
            among = ": " if len(told) == len(names) else ", among them "
            found.append(sentence(f"{count}{among}{say_list(told)}"))
    return found
