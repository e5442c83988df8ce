"""Why there is no plan: the smallest part of the goal that cannot be reached, and the fact or object it lacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from chorewright.domains.arithmetic import values_read
from chorewright.domains.facts import Facts, Universe
from chorewright.domains.formulas import condition_text
from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.subformulas import conjuncts, free_variables, simple_effects, subformulas
from chorewright.domains.rewriting import conjunction, substitute
from chorewright.files.english import indefinite
from chorewright.planner.grounding.numbering import most_actions
from chorewright.planner.plan import Limits, Unsolvable
from chorewright.planner.planning import solve

LIMITS = Limits(evaluations=2_000)
"""What the search for a reason may spend on each question."""

LARGEST = 200_000
"""Ground actions of the largest problem of which the reason is looked for."""

DEEPEST, MOST_PARTS = 6, 12
"""How far back a missing fact is followed, and how many parts of a goal are tried without each other."""


def say_why(domain: syntax.Domain, problem: syntax.Problem) -> str:
    """Say which part of the goal cannot be reached and what is missing; nothing if that is not found."""
    if domain.durative_actions or problem.timed or most_actions(domain, problem) > LARGEST:
        return ""
    part = smallest_unreachable(problem.goal, domain, problem, LIMITS)
    if part is None:
        return ""
    if (missing := _missing(part, domain, problem, DEEPEST)) is not None:
        return f"{condition_text(part)} cannot be reached: {missing}"
    parts = conjuncts(part)
    if len(parts) > 1:
        shown = ", ".join(map(condition_text, _core(parts, domain, problem)))
        return f"these parts of the goal exclude each other: {shown}"
    return f"{condition_text(part)} cannot be reached"


def smallest_unreachable(
    goal: syntax.Formula, domain: syntax.Domain, problem: syntax.Problem, limits: Limits
) -> syntax.Formula | None:
    """Return the first smallest part of a goal that cannot be reached; None if it can be, or nobody knows."""
    if not _is_unreachable(goal, domain, problem, limits):
        return None
    for part in _parts(goal):
        found = smallest_unreachable(part, domain, problem, limits)
        if found is not None:
            return found
    return goal


def _is_unreachable(goal: syntax.Formula, domain: syntax.Domain, problem: syntax.Problem, limits: Limits) -> bool:
    return isinstance(solve(domain, replace(problem, goal=goal), limits), Unsolvable)


def _parts(goal: syntax.Formula) -> Iterator[syntax.Formula]:
    """Yield what a goal asks for at once, each alone under the quantifiers that bind it."""
    if isinstance(goal, syntax.And):
        yield from conjuncts(goal)
    elif isinstance(goal, syntax.Exists) and isinstance(goal.body, syntax.And):
        for part in conjuncts(goal.body):
            bound = tuple(variable for variable in goal.variables if variable.name in free_variables(part))
            if not isinstance(part, syntax.Not):
                yield syntax.Exists(bound, part) if bound else part
    elif isinstance(goal, syntax.Forall) and isinstance(goal.body, syntax.And):
        for part in conjuncts(goal.body):
            yield syntax.Forall(goal.variables, part)


def _core(parts: Sequence[syntax.Formula], domain: syntax.Domain, problem: syntax.Problem) -> list[syntax.Formula]:
    """Return parts that cannot be reached together, of which none can be left out."""
    kept = list(parts)
    for part in parts if len(parts) <= MOST_PARTS else ():
        less = [each for each in kept if each is not part]
        if less and _is_unreachable(conjunction(less), domain, problem, LIMITS):
            kept = less
    return kept


def _missing(part: syntax.Formula, domain: syntax.Domain, problem: syntax.Problem, depth: int) -> str | None:
    """Say which fact, value or object a part that cannot be reached lacks; None if it is not as simple as that."""
    universe = Universe.of(domain, problem)
    for each in subformulas(part):
        for variable in each.variables if isinstance(each, syntax.Exists | syntax.AtLeast) else ():
            if not universe.members(variable.types):
                return f"there is no {' or '.join(variable.types)}"
    undefined = [each for each in values_read(part, Facts(problem.init), universe) if each.endswith("undefined")]
    if undefined and isinstance(part, syntax.Comparison):
        return f"{undefined[0]} at the start"
    variables, inner = (part.variables, part.body) if isinstance(part, syntax.Exists) else ((), part)
    if not isinstance(inner, syntax.Atom) or depth == 0:
        return None
    achievers = [each for action in domain.actions for each in _achievers(action, inner, universe)]
    if not achievers:
        if any(axiom.head.name == inner.predicate for axiom in domain.axioms):
            return None
        words = [indefinite(" or ".join(each.types)) for each in variables]
        shown = condition_text(inner) + (f" for {', '.join(words)}" if words else "")
        return f"no action makes {shown} true, and ':init' does not hold it"
    wanted = [[each for each in conjuncts(one.body) if isinstance(each, syntax.Atom)] for one in achievers]
    itself = all(any(each.predicate == inner.predicate for each in needed) for needed in wanted)
    if itself and not any(fact[0] == inner.predicate for fact in problem.init):
        return f"':init' holds no ({inner.predicate} ...), and actions make one true of another only"
    lacking = ""
    for condition in achievers:
        for need in _needs(condition):
            if _is_unreachable(need, domain, problem, LIMITS):
                found = _missing(need, domain, problem, depth - 1)
                if found is not None:
                    return found
                lacking = lacking or f"it needs {condition_text(need)}, which cannot be reached"
    return lacking or None


def _achievers(action: syntax.Action, atom: syntax.Atom, universe: Universe) -> Iterator[syntax.Exists]:
    """Yield under which condition an action makes an atom true, its parameters that are left free below ``exists``."""
    types = {each.name: each.types for each in action.parameters}
    for part in simple_effects(action.effect):
        if not isinstance(part, syntax.AddEffect) or part.atom.predicate != atom.predicate:
            continue
        given: dict[str, str] = {}
        for parameter, wanted in zip(part.atom.terms, atom.terms, strict=False):
            if wanted.startswith("?"):
                continue
            fits = universe.includes(types[parameter], wanted) if parameter in types else parameter in ("?", wanted)
            if not fits or given.get(parameter, wanted) != wanted:
                break
            given[parameter] = wanted
        else:
            left = tuple(each for each in action.parameters if each.name not in given)
            bound = {name: wanted for name, wanted in given.items() if name in types}
            yield syntax.Exists(left, substitute(action.precondition, bound))


def _needs(condition: syntax.Exists) -> Iterator[syntax.Formula]:
    """Yield the parts of a condition, each alone under the variables that it names."""
    for part in conjuncts(condition.body):
        bound = tuple(each for each in condition.variables if each.name in free_variables(part))
        if isinstance(part, syntax.Atom | syntax.Comparison):
            yield syntax.Exists(bound, part) if bound else part
    for variable in condition.variables:
        yield syntax.Exists((variable,), syntax.TRUE)
