"""The rules of lint, each with what it says of a domain or a problem, where, and what may help."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from chorewright.domains.facts import Universe
from chorewright.domains.lint import uses as lint_uses
from chorewright.domains.lint.remarks import LintedFile
from chorewright.domains.pddl import subformulas, syntax
from chorewright.domains.pddl.source import Remark, Source
from chorewright.domains.pddl.subformulas import conjuncts, terms_in
from chorewright.files.english import did_you_mean


def lint_domain(domain: syntax.Domain, source: Source) -> Iterator[Remark]:
    """Yield what is doubtful in a domain."""
    file, uses = LintedFile(source), lint_uses.Uses.of(domain)
    yield from _find_unused(domain, uses, file)
    yield from _actions(domain, file)
    yield from _requirements(domain, file)
    yield from _similar(domain, uses, file)


def _find_unused(domain: syntax.Domain, uses: lint_uses.Uses, file: LintedFile) -> Iterator[Remark]:
    known = uses.read | uses.added | uses.deleted
    for each in domain.predicates:
        if each.name not in known:
            message = f"no action or axiom uses the predicate '{each.name}'"
            yield file.remark("unused-predicate", message, each.position, "remove it", each.name)
    for each in domain.functions:
        if each.name not in uses.values | uses.changed:
            message = f"no action reads or changes the function '{each.name}'"
            yield file.remark("unused-function", message, each.position, "remove it", each.name)
    constants = [each for each in domain.constants if each.name not in uses.terms]
    if constants:
        message = f"no action or axiom names {_name('constant', [each.name for each in constants])}"
        yield file.remark("unused-constant", message, constants[0].position, "objects of problems are declared there")
    types = subformulas.hierarchy(domain.types)
    for kind in domain.types:
        related = any(types.is_subtype(each, kind.name) or types.is_subtype(kind.name, each) for each in uses.types)
        if not related:
            message = f"nothing is declared with the type '{kind.name}', one above it or one below it"
            yield file.remark("unused-type", message, kind.position, "remove it")


def _actions(domain: syntax.Domain, file: LintedFile) -> Iterator[Remark]:
    for action in domain.all_actions:
        terms = lint_uses.terms_of_action(action)
        for parameter in action.parameters:
            if parameter.name not in terms:
                message = f"the action '{action.name}' does not use its parameter '{parameter.name}'"
                yield file.remark("unused-parameter", message, parameter.position, "remove it, or use it")
        effects = [action.effect] if isinstance(action, syntax.Action) else [each.effect for each in action.effects]
        if not any(True for effect in effects for _ in subformulas.simple_effects(effect)):
            message = f"the action '{action.name}' changes nothing"
            yield file.remark("no-effect", message, action.position, "give it an ':effect'", action.name)
        for effect in effects:
            for atom in _contradictions(effect):
                shown = f"({' '.join((atom.predicate, *atom.terms))})"
                message = f"the action '{action.name}' makes {shown} true and false at once"
                yield file.remark("contradictory-effect", message, atom.position, "it is true afterwards")
    for plain in domain.actions:
        if (pair := _contradiction(plain.precondition)) is not None:
            message = f"the action '{plain.name}' can never be run: {pair}"
            yield file.remark("impossible-action", message, plain.position, "remove one of the two", plain.name)


def _contradictions(effect: syntax.Effect) -> Iterator[syntax.Atom]:
    """Yield the atoms that an effect adds and deletes under the same condition."""
    added: list[syntax.Atom] = []
    deleted: list[syntax.Atom] = []
    waiting = [effect]
    while waiting:
        match waiting.pop():
            case syntax.AndEffect(effects):
                waiting.extend(effects)
            case syntax.AddEffect(atom):
                added.append(atom)
            case syntax.DeleteEffect(atom):
                deleted.append(atom)
            case syntax.WhenEffect(_, inner) | syntax.ForallEffect(_, inner):
                yield from _contradictions(inner)
            case _:
                pass
    yield from (atom for atom in deleted if atom in added)


def _contradiction(formula: syntax.Formula) -> str | None:
    """Say which two parts of a conjunction exclude each other; None if none do by their form."""
    parts = conjuncts(formula)
    for part in parts:
        match part:
            case syntax.Not(syntax.Equals(left, right)) if left == right:
                return f"'{left}' is always equal to itself"
            case syntax.Equals(left, right) if left != right and "?" not in (left[0], right[0]):
                return f"'{left}' and '{right}' are different objects"
            case syntax.Not(syntax.Atom() | syntax.Equals() as inner) if inner in parts:
                names = (
                    (inner.predicate, *inner.terms)
                    if isinstance(inner, syntax.Atom)
                    else ("=", inner.left, inner.right)
                )
                return f"({' '.join(names)}) must be true and false"
            case _:
                pass
    return None


def _requirements(domain: syntax.Domain, file: LintedFile) -> Iterator[Remark]:
    declared = domain.requirements
    every = {*declared, *(one for name in declared for one in lint_uses.INCLUDED.get(name, ()))}
    every |= {one for name in every for one in lint_uses.INCLUDED.get(name, ())}
    used = lint_uses.features(domain)
    for name, position in used.items():
        if name not in every and not (name == ":action-costs" and ":numeric-fluents" in every):
            message = f"this needs the requirement {name}"
            yield file.remark("missing-requirement", message, position, f"add {name} to (:requirements ...)")
    for name in declared:
        parts = {name, *lint_uses.INCLUDED.get(name, ())} | {
            one for each in lint_uses.INCLUDED.get(name, ()) for one in lint_uses.INCLUDED.get(each, ())
        }
        if name not in lint_uses.OF_PROBLEMS and not parts & used.keys():
            message = f"nothing in this domain needs the requirement {name}"
            yield file.remark("unused-requirement", message, None, "remove it", name)


def _similar(domain: syntax.Domain, uses: lint_uses.Uses, file: LintedFile) -> Iterator[Remark]:
    """Yield names that are not used, or only read, while one that differs by a letter is used, or only changed."""
    made = uses.added
    unused = {each.name for each in domain.predicates} - uses.read - made - uses.deleted
    yield from _pairs(domain.predicates, uses.read - made, made - uses.read, unused, "predicate", file)
    numbers = {each.name for each in domain.functions} - uses.values - uses.changed
    yield from _pairs(
        domain.functions, uses.values - uses.changed, uses.changed - uses.values, numbers, "function", file
    )
    types = [syntax.Signature(each.name, (), each.position) for each in domain.types]
    yield from _pairs(types, frozenset(), frozenset(), {each.name for each in types} - uses.types, "type", file)


def _pairs(
    entries: Sequence[syntax.Signature],
    read: Collection[str],
    changed: Collection[str],
    unused: Collection[str],
    what: str,
    file: LintedFile,
) -> Iterator[Remark]:
    for each in entries:
        for other in entries:
            if each is other or not _differ_by_a_letter(each.name, other.name):
                continue
            if each.name in unused and other.name not in unused:
                how = "is not used"
            elif each.name in read and other.name in changed:
                how = f"is only read, and '{other.name}' only set"
            else:
                continue
            message = f"the {what} '{each.name}' {how}: it differs from '{other.name}' by one letter"
            yield file.remark("similar-names", message, each.position, f"did you mean '{other.name}'?", each.name)


def _differ_by_a_letter(one: str, other: str) -> bool:
    """Whether two names of some length differ by one letter, missing, added or another; digits are no letters."""
    if len(one) > len(other):
        one, other = other, one
    if len(other) < 4 or len(other) - len(one) > 1 or one == other:
        return False
    start = next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
    same = one[start + (len(one) == len(other)) :] == other[start + 1 :]
    letters = {other[start], *(one[start : start + 1] if len(one) == len(other) else "")}
    return same and all(each.isalpha() for each in letters)


def lint_problem(
    domain: syntax.Domain, problem: syntax.Problem, domain_source: Source, source: Source
) -> Iterator[Remark]:
    """Yield what is doubtful in a problem, or in its domain with this problem."""
    uses, file, other = lint_uses.Uses.of(domain), LintedFile(source), LintedFile(domain_source)
    yield from _objects(problem, uses, file)
    yield from _never_true(domain, problem, uses, (other, file))
    yield from _never_set(domain, problem, uses, (other, file))
    yield from _without_objects(domain, problem, other)
    start = frozenset(problem.init)
    met = [each for each in conjuncts(problem.goal) if isinstance(each, syntax.Atom)]
    met = [each for each in met if (each.predicate, *each.terms) in start]
    if met:
        shown = ", ".join(f"({' '.join((each.predicate, *each.terms))})" for each in met[:3])
        rest = f" and {len(met) - 3} more" if len(met) > 3 else ""
        message = f"the goal asks for what holds at the start: {shown}{rest}"
        yield file.remark("goal-holds", message, met[0].position, "is another object meant?")


def _objects(problem: syntax.Problem, uses: lint_uses.Uses, file: LintedFile) -> Iterator[Remark]:
    named = {term for atom in problem.init for term in atom[1:]} | uses.terms | set(terms_in(problem.goal))
    named.update(term for value in problem.values for term in value.objects)
    named.update(term for each in problem.constraints for part in each.conditions for term in terms_in(part))
    named.update(term for timed in problem.timed for term in lint_uses.terms_of_effect(timed.effect))
    names = {each.name for each in problem.objects}
    for each in problem.objects:
        if each.name not in named:
            message = f"the object '{each.name}' is in no fact and not in the goal"
            hint = "say something of it, or remove it if no action needs it"
            yield file.remark("unused-object", message, each.position, hint)
            alike = [name for name in sorted(names) if _differ_by_a_letter(each.name, name)]
            if len(alike) == 1 and alike[0] in named:  # not one of a family of names
                message = f"the object '{each.name}' is not used: it differs from '{alike[0]}' by one letter"
                yield file.remark("similar-names", message, each.position, f"did you mean '{alike[0]}'?")


def _never_true(
    domain: syntax.Domain, problem: syntax.Problem, uses: lint_uses.Uses, files: tuple[LintedFile, LintedFile]
) -> Iterator[Remark]:
    made = {atom[0] for atom in problem.init} | uses.added
    for timed in problem.timed:
        made |= {
            each.atom.predicate for each in subformulas.subeffects(timed.effect) if isinstance(each, syntax.AddEffect)
        }
    for atom, positive in subformulas.atoms_with_signs(problem.goal):
        if positive and atom.predicate not in made:
            made.add(atom.predicate)
            message = f"the goal needs '{atom.predicate}', which no action makes true and ':init' does not hold"
            yield files[1].remark(
                "never-true", message, atom.position, f"add an action with the effect ({atom.predicate} ...)"
            )
    for each in domain.predicates:
        if each.name in uses.wanted and each.name not in made:
            message = f"conditions need '{each.name}', which no action makes true and ':init' does not hold"
            hint = f"add facts ({each.name} ...) to ':init', or an effect that makes it true"
            yield files[0].remark("never-true", message, each.position, hint, each.name)


def _never_set(
    domain: syntax.Domain, problem: syntax.Problem, uses: lint_uses.Uses, files: tuple[LintedFile, LintedFile]
) -> Iterator[Remark]:
    given = {(value.function, *value.objects) for value in problem.values}
    timed = {each.effect.target.function for each in problem.timed if isinstance(each.effect, syntax.ChangeNumber)}
    told = {each[0] for each in given} | uses.assigned | timed
    for each in domain.functions:
        if each.name in uses.values and each.name not in told:
            message = f"actions read '{each.name}', to which ':init' gives no value"
            yield files[0].remark("never-set", message, each.position, f"add (= ({each.name} ...) 0)", each.name)
    needed = dict.fromkeys(subformulas.numbers_in(problem.goal))
    if problem.metric is not None:  # what only adds up costs starts at 0
        counted = (each for each in subformulas.function_terms(problem.metric.expression) if each.terms)
        needed.update(dict.fromkeys(counted))
    preferred = (
        *domain.constraints,
        *problem.constraints,
        *(one for each in domain.actions for one in each.preferences),
    )
    names = {each.preference for each in preferred if each.preference}
    for term in needed:
        fluent = (term.function, *term.terms)
        if term.function == syntax.VIOLATIONS and names.isdisjoint(term.terms):
            message = f"the metric counts violations of '{term.terms[0]}', and no preference has this name"
            yield files[1].remark("never-set", message, term.position, did_you_mean(term.terms[0], names))
        known = fluent in given or term.function in uses.assigned | timed | {syntax.VIOLATIONS}
        if not known and not any(each.startswith("?") for each in fluent):
            shown = f"({' '.join(fluent)})"
            message = f"{shown} is read, but ':init' gives it no value: what compares it is false"
            yield files[1].remark("never-set", message, term.position, f"add (= {shown} 0) to ':init'")


def _without_objects(domain: syntax.Domain, problem: syntax.Problem, file: LintedFile) -> Iterator[Remark]:
    """Yield which actions can never be run because there is no object of a type, once for each type."""
    universe = Universe.of(domain, problem)
    stuck: dict[tuple[str, ...], list[syntax.Action | syntax.DurativeAction]] = {}
    for action in domain.all_actions:
        missing = next((each.types for each in action.parameters if not universe.members(each.types)), None)
        if missing is not None:
            stuck.setdefault(missing, []).append(action)
    for types, actions in stuck.items():
        kinds = " or ".join(types)
        message = f"{_name('action', [each.name for each in actions])} can never be run: there is no {kinds}"
        hint = f"declare an object of the type {kinds}"
        yield file.remark("impossible-action", message, actions[0].position, hint, actions[0].name)


def _name(what: str, names: Sequence[str]) -> str:
    """Say which things are meant: ``the actions 'a', 'b' and 5 more``."""
    shown = ", ".join(f"'{name}'" for name in names[:3])
    return f"the {what}{'s' * (len(names) > 1)} {shown}{f' and {len(names) - 3} more' if len(names) > 3 else ''}"
