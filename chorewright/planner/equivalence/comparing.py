"""Deciding whether two problems of a domain are the same up to the names of their objects.

They are if a renaming turns one start into the other (atoms, values, types), and the goals hold in the same reachable
states then. Where the reachable states are few, they are all looked at: each atom is coloured by the number of goal
states in which it is true, which leaves few renamings to try. Else the planner looks for a reachable state in which one
goal holds and the other does not, for each renaming.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from itertools import islice

from chorewright.domains.formulas import Facts, Universe, conjuncts, holds
from chorewright.domains.pddl.subformulas import rename
from chorewright.domains.pddl.syntax import And, Atom, Domain, Formula, Imply, Not, Or, Problem, State
from chorewright.domains.pddl.syntax import Comparison as NumberComparison
from chorewright.domains.pddl.writer import write_formula
from chorewright.files.english import say_count
from chorewright.files.stopping import Alarm
from chorewright.planner.equivalence.state_space import StateSpace, Structure, TooMany, reachable_states, renamings
from chorewright.planner.plan import UNLIMITED, GroundAction, Limits, Plan, Unsolvable
from chorewright.planner.planning import solve
from chorewright.planner.validation import PlanWorld

MOST_STATES = 20_000
MOST_RENAMINGS = 2_000
MOST_SEARCHES = 24


class Likeness(Enum):
    """What is known of two problems."""

    EQUIVALENT = "equivalent"
    DIFFERENT = "different"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class ProblemComparison:
    """The verdict on two problems.

    Attributes:
        likeness: The verdict.
        reason: Why, for a reader.
        renaming: The names of the first problem's objects and what they are called in the second.
        witness: Where goals differ: a plan of the first problem to a state in which only one of them holds.
        holds_in: Which problem's goal holds there, 1 or 2; 0 without a witness.
        relation: ``stronger`` if the first goal holds in fewer states, all of which meet the second, ``weaker`` the
            other way round; empty if neither is known.
    """

    likeness: Likeness
    reason: str
    renaming: tuple[tuple[str, str], ...] = ()
    witness: tuple[GroundAction, ...] = ()
    holds_in: int = 0
    relation: str = ""


def compare_problems(domain: Domain, one: Problem, other: Problem, limits: Limits = UNLIMITED) -> ProblemComparison:
    """Say whether two problems of a domain are the same up to the names of their objects.

    Args:
        domain: The domain of both.
        one: The first problem.
        other: The second problem.
        limits: What this may use; ``evaluations`` are those of each search.
    """
    with limits.alarm() as alarm:
        try:
            return _Comparing(domain, one, other, limits, alarm).verdict()
        except TooMany:
            return ProblemComparison(Likeness.UNDECIDED, "there are too many renamings of the objects to try")


@dataclass(slots=True)
class _Comparing:
    """Two problems, and what may be used to compare them."""

    domain: Domain
    one: Problem
    other: Problem
    limits: Limits
    alarm: Alarm

    def verdict(self) -> ProblemComparison:
        if _metric(self.one) != _metric(self.other):
            return ProblemComparison(Likeness.DIFFERENT, "their metrics differ")
        start, other_start = _start(self.domain, self.one), _start(self.domain, self.other)
        first = next(renamings(start, other_start), None)
        if first is None:
            return ProblemComparison(Likeness.DIFFERENT, _difference(start, other_start))
        for renaming in islice(renamings(start, other_start), 50):
            if canonical(rename(self.one.goal, dict(renaming))) == canonical(self.other.goal):
                return _same("the starts and goals are the same but for names and order", renaming)
        if (found := self._find_literal_renaming()) is not None:
            return _same("the starts and goals are the same but for names and order", found)
        space = reachable_states(self.domain, self.one, MOST_STATES, self.alarm)
        if space is not None:
            return self._by_states(space, start, first)
        return self._by_search(start, other_start)

    def _find_literal_renaming(self) -> dict[str, str] | None:
        """A renaming that turns start and goal into the other's, where both goals are conjunctions of literals."""
        structures = []
        for problem in (self.one, self.other):
            literals = _literals(problem.goal)
            if literals is None:
                return None
            start = _start(self.domain, problem)
            goal = {(f"goal {name[0]}", *name[1:]): wanted for name, wanted in literals.items()}
            structures.append(Structure(start.objects, {**start.atoms, **goal}))
        return next(renamings(structures[0], structures[1]), None)

    def _by_states(self, space: StateSpace, start: Structure, first: dict[str, str]) -> ProblemComparison:
        """Decide by all reachable states of the first problem; ``first`` is a renaming of the starts."""
        back = {new: old for old, new in first.items()}
        universe = Universe.of(self.domain, self.one)
        goals = self.one.goal, rename(self.other.goal, back)
        met = [[holds(goal, Facts(state), universe) for state in space.states] for goal in goals]
        counts = [Counter(atom for state, is_met in zip(space.states, each, strict=True) if is_met for atom in state)
                  for each in met]  # fmt: skip
        if met[0] == met[1]:
            nothing = "; no reachable state meets them" if not any(met[0]) else ""
            return _same(f"both goals hold in the same of {len(space.states)} reachable states{nothing}", first)
        if sum(met[0]) == sum(met[1]):
            targets = {state for state, is_met in zip(space.states, met[1], strict=True) if is_met}
            sources = [state for state, is_met in zip(space.states, met[0], strict=True) if is_met]
            structures = [_colour_atoms(start, each) for each in counts]
            for tried, renaming in enumerate(renamings(structures[0], structures[1]), 1):
                if all(_rename_state(state, renaming) in targets for state in sources):
                    total = {old: first[new] for old, new in renaming.items()}
                    return _same(f"both goals hold in the same of {len(space.states)} reachable states", total)
                if tried == MOST_RENAMINGS or self.alarm.flag[0]:
                    return ProblemComparison(Likeness.UNDECIDED, f"{tried} renamings were tried, and there are more")
        return self._apart(space, start, met, first)

    def _apart(
        self, space: StateSpace, start: Structure, met: list[list[bool]], first: dict[str, str]
    ) -> ProblemComparison:
        """Say how goals that are not the same differ."""
        relation = _relation(space, start, met)
        at = next(number for number, pair in enumerate(zip(*met, strict=True)) if pair[0] != pair[1])
        sizes = (
            f"of {len(space.states)} reachable states, {sum(met[0])} meet the first goal and {sum(met[1])} the second"
        )
        return ProblemComparison(
            Likeness.DIFFERENT,
            f"the goals differ: {sizes}",
            tuple(sorted(first.items())),
            space.plan_to(at),
            1 if met[0][at] else 2,
            relation,
        )

    def _by_search(self, start: Structure, other_start: Structure) -> ProblemComparison:
        """Decide by searching for a state in which the goals differ, for every renaming."""
        seen: set[Hashable] = set()
        apart: ProblemComparison | None = None
        open_ones = 0
        for number, renaming in enumerate(renamings(start, other_start)):
            if number == MOST_RENAMINGS or len(seen) >= MOST_SEARCHES or self.alarm.flag[0]:
                open_ones += 1
                break
            goal = rename(self.other.goal, {new: old for old, new in renaming.items()})
            key = canonical(goal)
            if key in seen:
                continue
            seen.add(key)
            answer = self._differing(goal)
            if isinstance(answer, Unsolvable):
                return _same("no reachable state meets one goal and not the other", renaming)
            if not isinstance(answer, Plan):
                open_ones += 1
            elif apart is None:
                apart = self._witness(answer, goal, renaming)
        if open_ones or apart is None:
            reason = "the search for a state in which the goals differ met a limit, or there are too many renamings"
            return ProblemComparison(Likeness.UNDECIDED, reason)
        return apart

    def _differing(self, goal: Formula) -> object:
        """Search for a state in which the first goal and another differ."""
        mine = self.one.goal
        difference = Or((And((mine, Not(goal))), And((Not(mine), goal))))
        limits = replace(self.limits, seconds=None, cpu_seconds=None, evaluations=self.limits.evaluations or 50_000)
        asked = replace(self.one, goal=difference, minimize_cost=False, metric=None)
        return solve(self.domain, asked, limits)

    def _witness(self, plan: Plan, goal: Formula, renaming: dict[str, str]) -> ProblemComparison:
        world = PlanWorld.of(self.domain, self.one)
        state = world.initial()
        for step in plan.actions:
            state = world.apply(step, state, Facts(state))
        mine = holds(self.one.goal, state, world.universe)
        reason = "the goals differ: a reachable state meets one of them only"
        return ProblemComparison(
            Likeness.DIFFERENT, reason, tuple(sorted(renaming.items())), plan.actions, 1 if mine else 2
        )


def _same(reason: str, renaming: Mapping[str, str]) -> ProblemComparison:
    return ProblemComparison(Likeness.EQUIVALENT, reason, tuple(sorted(renaming.items())))


def _metric(problem: Problem) -> Hashable:
    return problem.metric, problem.cost_function if problem.minimize_cost else None


def _start(domain: Domain, problem: Problem) -> Structure:
    """The start of a problem; constants are told apart by their names, objects by their types."""
    objects: dict[str, Hashable] = {each.name: ("constant", each.name) for each in domain.constants}
    objects.update({each.name: ("type", tuple(sorted(each.types))) for each in problem.objects})
    atoms: dict[tuple[str, ...], Hashable] = dict.fromkeys(problem.init, True)
    atoms.update({(f"= {each.function}", *each.objects): each.value for each in problem.values})
    return Structure(objects, atoms)


def _difference(one: Structure, other: Structure) -> str:
    """Say how two starts differ, as far as numbers tell."""
    if len(one.objects) != len(other.objects):
        return f"the starts differ: {say_count(len(one.objects), 'object')}, {say_count(len(other.objects), 'object')}"
    if Counter(one.objects.values()) != Counter(other.objects.values()):
        return "the starts differ: there are objects of other types"
    counts, others = (Counter(atom[0] for atom in each.atoms) for each in (one, other))
    for name in sorted(counts.keys() | others.keys()):
        if counts[name] != others[name]:
            return f"the starts differ: '{name}' holds {counts[name]} times in one, {others[name]} times in the other"
    return "the starts differ: no renaming of the objects turns one into the other"


def _literals(goal: Formula) -> dict[tuple[str, ...], bool] | None:
    found: dict[tuple[str, ...], bool] = {}
    for part in conjuncts(goal):
        match part:
            case Atom(predicate, terms):
                literal = (predicate, *terms)
                found[literal] = True
            case Not(Atom(predicate, terms)):
                literal = ("not " + predicate, *terms)
                found[literal] = False
            case _:
                return None
    return found


def _colour_atoms(start: Structure, counts: Counter[tuple[str, ...]]) -> Structure:
    """The start with, of each atom, the number of goal states in which it is true."""
    told: dict[tuple[str, ...], Hashable] = {}
    for atom, count in counts.items():
        if atom[0] == "=":
            fluent = (f"value {atom[-1]} {atom[1]}", *atom[2:-1])
            told[fluent] = count
        else:
            named = (f"met {atom[0]}", *atom[1:])
            told[named] = count
    return Structure(start.objects, {**start.atoms, **told})


def _rename_state(state: State, renaming: Mapping[str, str]) -> State:
    """A state with its objects renamed; names of predicates and functions, and numbers, are left as they are."""
    found = []
    for atom in state:
        if atom[0] == "=":
            found.append((*atom[:2], *[renaming[name] for name in atom[2:-1]], atom[-1]))
        else:
            found.append((atom[0], *[renaming[name] for name in atom[1:]]))
    return frozenset(found)


def _relation(space: StateSpace, start: Structure, met: list[list[bool]]) -> str:
    """Whether the states of one goal are among those of the other, under some renaming of the start to itself."""
    states = [{state for state, is_met in zip(space.states, each, strict=True) if is_met} for each in met]
    fewer, more = (0, 1) if len(states[0]) <= len(states[1]) else (1, 0)
    try:
        for renaming in islice(renamings(start, start, 20_000), 50):
            if all(_rename_state(state, renaming) in states[more] for state in states[fewer]):
                return "stronger" if fewer == 0 else "weaker"
    except TooMany:
        pass
    return ""


def canonical(formula: Formula) -> Hashable:
    """A form that is the same for formulas that differ in the order of operands, double negation or implication."""
    match formula:
        case Not(Not(operand)):
            return canonical(operand)
        case Not(operand):
            return "not", canonical(operand)
        case Imply(antecedent, consequent):
            return canonical(Or((Not(antecedent), consequent)))
        case And(operands) | Or(operands):
            kind = type(formula)
            flat = [part for operand in operands for part in _flat(operand, kind)]
            parts = sorted({canonical(part) for part in flat}, key=repr)
            return parts[0] if len(parts) == 1 else (kind.__name__, *parts)
        case NumberComparison(operator, left, right) if operator in (">", ">="):
            return canonical(NumberComparison(operator.replace(">", "<"), right, left))
        case _:
            return write_formula(formula)


def _flat(formula: Formula, kind: type) -> Iterator[Formula]:
    while isinstance(formula, Not) and isinstance(formula.operand, Not):
        formula = formula.operand.operand
    if isinstance(formula, Imply):
        formula = Or((Not(formula.antecedent), formula.consequent))
    if isinstance(formula, And | Or) and isinstance(formula, kind):
        for operand in formula.operands:
            yield from _flat(operand, kind)
    else:
        yield formula


__all__ = ["Likeness", "ProblemComparison", "canonical", "compare_problems"]
