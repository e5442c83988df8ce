"""Deciding whether two problems of a domain are the same up to the names of their objects.

They are if a renaming turns one start into the other (atoms, values, types), and the goals hold in the same reachable
states then. Where the reachable states are few, they are all looked at: each atom is coloured by the number of goal
states in which it is true, which leaves few renamings to try. Else the planner looks for a reachable state in which one
goal holds and the other does not, for each renaming.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from itertools import islice

from chorewright.domains.arithmetic import find_sums, read_functions
from chorewright.domains.facts import Fluent, Number
from chorewright.domains.formulas import Facts, Universe, holds
from chorewright.domains.pddl.subformulas import numbers_in, rename
from chorewright.domains.pddl.syntax import And, Domain, Formula, GroundAtom, Not, Or, Problem, State
from chorewright.files.english import say_count
from chorewright.files.stopping import Alarm
from chorewright.planner.equivalence.goals import GoalWriter, canonical, count_literals, metric_weights
from chorewright.planner.equivalence.state_space import (
    StateSpace,
    Structure,
    TooMany,
    atoms_together,
    reachable_states,
    renamings,
)
from chorewright.planner.numeric.grounding import MOST_OPERATORS
from chorewright.planner.plan import UNLIMITED, GroundAction, Limits, Plan, Unsolvable
from chorewright.planner.planning import solve
from chorewright.planner.validation import PlanWorld, is_plain


@dataclass(frozen=True, slots=True)
class ComparisonEffort:
    """What a comparison may do; all of it is counted, so that a verdict is the same on every machine.

    Attributes:
        states: Reachable states that are listed.
        operators: Ground actions by which they are listed.
        renamings: Renamings of the objects that are tried with the goals.
        tries: Objects that are tried out to find renamings.
        searches: Searches for a state in which the goals differ.
        literals: Literals of both goals, written out, times ``states``; of longer goals no states are looked at. None
            for any number.
    """

    states: int = 20_000
    operators: int = MOST_OPERATORS
    renamings: int = 2_000
    tries: int = 200_000
    searches: int = 24
    literals: int | None = None


MOST_WRITTEN = 10_000
"""Goals with more literals are not written out."""

ENOUGH = ComparisonEffort()


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


def compare_problems(
    domain: Domain,
    one: Problem,
    other: Problem,
    limits: Limits = UNLIMITED,
    effort: ComparisonEffort = ENOUGH,
    watch: Callable[[int, int], object] = lambda done, most: None,
) -> ProblemComparison:
    """Say whether two problems of a domain are the same up to the names of their objects.

    Args:
        domain: The domain of both.
        one: The first problem.
        other: The second problem.
        limits: What this may use; ``evaluations`` are those of each search.
        effort: What this may do.
        watch: Told how many states or searches are done, and the most that there may be.
    """
    if not all(is_plain(domain, each) for each in (one, other)):
        return ProblemComparison(Likeness.UNDECIDED, "constraints, preferences and timed literals are not compared")
    with limits.alarm() as alarm:
        try:
            return _Comparing(domain, one, other, limits, effort, alarm, watch).verdict()
        except TooMany:
            return ProblemComparison(Likeness.UNDECIDED, "there are too many renamings of the objects to try")


@dataclass(slots=True)
class _Comparing:
    """Two problems, and what may be used to compare them."""

    domain: Domain
    one: Problem
    other: Problem
    limits: Limits
    effort: ComparisonEffort
    alarm: Alarm
    watch: Callable[[int, int], object]
    pairs: Mapping[GroundAtom, frozenset[GroundAtom]] | None = None
    """The atoms that may hold together with each, as far as that is known."""

    def verdict(self) -> ProblemComparison:
        plain = tuple(_start(self.domain, each) for each in (self.one, self.other))
        weights = tuple(metric_weights(self.domain, each) for each in (self.one, self.other))
        if None in weights and self.one.metric != self.other.metric:
            return ProblemComparison(Likeness.UNDECIDED, "their metrics are no sums with fixed factors")
        start, other_start = map(_with_weights, plain, weights)
        first = next(self._renamings(start, other_start), None)
        if first is None:
            alike = next(self._renamings(*plain), None) is not None
            reason = "their metrics differ" if alike else _difference(*plain)
            return ProblemComparison(Likeness.DIFFERENT, reason)
        wanted = canonical(self.other.goal)
        for renaming in islice(self._renamings(start, other_start), min(50, self.effort.renamings)):
            if canonical(rename(self.one.goal, dict(renaming))) == wanted:
                return _same("the starts and goals are the same but for names and order", renaming)
        writers = GoalWriter(self.domain, self.one), GoalWriter(self.domain, self.other)
        size = sum(count_literals(each.problem.goal, each.universe) for each in writers)
        if size <= MOST_WRITTEN and (found := self._find_written_renaming(writers, start, other_start)) is not None:
            return _same("the starts and goals are the same but for names and order", found)
        if self.effort.literals is not None and size * self.effort.states > self.effort.literals:
            return ProblemComparison(Likeness.UNDECIDED, "the goals are too long to be compared in all states")
        if self.domain.durative_actions:
            return ProblemComparison(Likeness.UNDECIDED, "states of actions with durations are not listed")
        space = self._states()
        if space is not None:
            return self._by_states(space, start, first)
        return self._by_search(start, other_start)

    def _states(self) -> StateSpace | None:
        most, operators = self.effort.states, self.effort.operators
        read = {each.function for problem in (self.one, self.other) for each in numbers_in(problem.goal)}
        return reachable_states(self.domain, self.one, most, self.alarm, operators, self.watch, read)

    def _renamings(self, start: Structure, other_start: Structure) -> Iterator[dict[str, str]]:
        return renamings(start, other_start, self.effort.tries)

    def _find_written_renaming(
        self, writers: tuple[GoalWriter, GoalWriter], start: Structure, other_start: Structure
    ) -> dict[str, str] | None:
        """A renaming that turns start and goal into the other's when goals are written out."""
        mine, others = (each.literals(each.problem.goal) for each in writers)
        if mine is not None and others is not None:
            return next(self._renamings(_with_goal(start, mine), _with_goal(other_start, others)), None)
        if mine is not None or others is not None:
            return None
        wanted = writers[0].canonical(self.one.goal)
        for renaming in islice(self._renamings(start, other_start), min(50, self.effort.renamings)):
            back = {new: old for old, new in renaming.items()}
            if writers[0].canonical(rename(self.other.goal, back)) == wanted:
                return renaming
        return None

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
            for tried, renaming in enumerate(self._renamings(structures[0], structures[1]), 1):
                if all(_rename_state(state, renaming) in targets for state in sources):
                    total = {old: first[new] for old, new in renaming.items()}
                    return _same(f"both goals hold in the same of {len(space.states)} reachable states", total)
                if tried == self.effort.renamings or self.alarm.flag[0]:
                    return ProblemComparison(Likeness.UNDECIDED, f"{tried} renamings were tried, and there are more")
        return self._apart(space, start, met, first)

    def _apart(
        self, space: StateSpace, start: Structure, met: list[list[bool]], first: dict[str, str]
    ) -> ProblemComparison:
        """Say how goals that are not the same differ."""
        relation = _relation(space, start, met, self.effort)
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
        for number, renaming in enumerate(self._renamings(start, other_start)):
            if number == self.effort.renamings or len(seen) >= self.effort.searches or self.alarm.flag[0]:
                open_ones += 1
                break
            goal = rename(self.other.goal, {new: old for old, new in renaming.items()})
            key = canonical(goal)
            if key in seen:
                continue
            seen.add(key)
            self.watch(len(seen) - 1, self.effort.searches)
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
        pairs = [(self.one.goal, goal), (goal, self.one.goal)]
        open_pairs = [And((held, Not(broken))) for held, broken in pairs if not self._implies(held, broken)]
        if not open_pairs:
            return Unsolvable("what never holds together proves that the goals are the same")
        difference = Or(tuple(open_pairs))
        limits = replace(self.limits, seconds=None, cpu_seconds=None, evaluations=self.limits.evaluations or 50_000)
        asked = replace(self.one, goal=difference, minimize_cost=False, metric=None)
        return solve(self.domain, asked, limits)

    def _implies(self, held: Formula, wanted: Formula) -> bool:
        """Whether what never holds together proves that one goal holds wherever another does."""
        writer = GoalWriter(self.domain, self.one)
        true, claimed = writer.literals(held), writer.literals(wanted)
        if true is None or claimed is None:
            return False
        there = [atom for atom, sign in true.items() if sign]
        return all(
            true.get(atom) is sign or (not sign and any(self._never_both(atom, each) for each in there))
            for atom, sign in claimed.items()
        )

    def _never_both(self, one: GroundAtom, other: GroundAtom) -> bool:
        if self.pairs is None:
            self.pairs = atoms_together(self.domain, self.one, self.alarm, self.effort.operators)
        together = self.pairs.get(one)
        return together is not None and other in self.pairs and other not in together

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


def _with_weights(start: Structure, weights: Mapping[Fluent, Number] | None) -> Structure:
    told = {(f"metric {name}", *objects): value for (name, *objects), value in (weights or {}).items()}
    return Structure(start.objects, {**start.atoms, **told})


def _start(domain: Domain, problem: Problem) -> Structure:
    """The start of a problem; constants are told apart by their names, objects by their types.

    Where sums start that only the metric reads makes no difference.
    """
    sums = find_sums(domain) - read_functions(domain, problem)
    objects: dict[str, Hashable] = {each.name: ("constant", each.name) for each in domain.constants}
    objects.update({each.name: ("type", tuple(sorted(each.types))) for each in problem.objects})
    atoms: dict[tuple[str, ...], Hashable] = dict.fromkeys(problem.init, True)
    values = (each for each in problem.values if each.function not in sums)
    atoms.update({(f"= {each.function}", *each.objects): each.value for each in values})
    return Structure(objects, atoms)


def _with_goal(start: Structure, literals: Mapping[tuple[str, ...], bool]) -> Structure:
    goal = {(f"goal {name[0]}", *name[1:]): sign for name, sign in literals.items()}
    return Structure(start.objects, {**start.atoms, **goal})


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


def _relation(space: StateSpace, start: Structure, met: list[list[bool]], effort: ComparisonEffort) -> str:
    """Whether the states of one goal are among those of the other, under some renaming of the start to itself."""
    states = [{state for state, is_met in zip(space.states, each, strict=True) if is_met} for each in met]
    fewer, more = (0, 1) if len(states[0]) <= len(states[1]) else (1, 0)
    try:
        for renaming in islice(renamings(start, start, min(20_000, effort.tries)), min(50, effort.renamings)):
            if all(_rename_state(state, renaming) in states[more] for state in states[fewer]):
                return "stronger" if fewer == 0 else "weaker"
    except TooMany:
        pass
    return ""
