"""All reachable states of a problem where they are few, with ways to them; and the renamings between two structures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeAlias, TypeVar

from chorewright.domains.facts import Facts, value_atom
from chorewright.domains.pddl.syntax import TRUE, Domain, GroundAtom, Problem, State
from chorewright.errors import LimitError
from chorewright.files.stopping import Alarm, Stopped
from chorewright.planner.numeric.grounding import MOST_OPERATORS, ground_numeric
from chorewright.planner.numeric.relaxation import bits_of, companions
from chorewright.planner.numeric.solving import Successors
from chorewright.planner.numeric.task import UNSET, NumericTask
from chorewright.planner.numeric.task import State as Packed
from chorewright.planner.plan import GroundAction
from chorewright.planner.progression import applicable
from chorewright.planner.validation import PlanWorld

MOST_PAIRED = 50_000_000
"""Ground actions times atoms of a task of which pairs of atoms are listed."""

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True, slots=True)
class StateSpace:
    """The reachable states in the order in which they were found, and the step that found each.

    ``steps`` are, for each state, the actions that can be run there and change something, with the states after them.
    """

    states: tuple[State, ...]
    found_by: tuple[tuple[int, GroundAction] | None, ...]
    steps: tuple[tuple[tuple[GroundAction, int], ...], ...]

    def plan_to(self, number: int) -> tuple[GroundAction, ...]:
        """Return a shortest way to a state."""
        steps: list[GroundAction] = []
        entry = self.found_by[number]
        while entry is not None:
            before, action = entry
            steps.append(action)
            entry = self.found_by[before]
        return tuple(reversed(steps))


def reachable_states(
    domain: Domain,
    problem: Problem,
    most: int,
    alarm: Alarm,
    most_actions: int = MOST_OPERATORS,
    watch: Callable[[int, int], object] = lambda done, most: None,
    told: Collection[str] | None = None,
) -> StateSpace | None:
    """Return all reachable states, breadth first.

    Args:
        domain: The domain.
        problem: The problem; its goal means nothing.
        most: The most states.
        alarm: The clock, which runs.
        most_actions: The most ground actions.
        watch: Told of each state how many are done, and the most that there may be.
        told: The functions whose values tell states apart though no condition reads them, as costs so far; all by
            default.

    Returns:
        The states, derived atoms included; None if they are more, or cannot be listed: with durative actions.
    """
    if domain.durative_actions:
        return None
    if domain.axioms:
        return _one_by_one(PlanWorld.of(domain, problem), most, alarm, watch)
    anything = replace(problem, goal=TRUE)
    try:
        names = [each.name for each in domain.functions if told is None or each.name in told]
        task = ground_numeric(domain, anything, alarm.flag, names, most_actions)
    except (Stopped, LimitError):
        return None
    return None if task is None else list_states(task, problem, most, alarm, watch)


def atoms_together(
    domain: Domain, problem: Problem, alarm: Alarm, most_actions: int
) -> Mapping[GroundAtom, frozenset[GroundAtom]]:
    """Return for each atom those that may hold together with it, by pairs that the actions reach.

    Args:
        domain: The domain.
        problem: The problem; its goal means nothing.
        alarm: The clock, which runs.
        most_actions: The most ground actions.

    Returns:
        The atoms; none if they cannot be listed.
    """
    if domain.axioms or domain.durative_actions:
        return {}
    try:
        task = ground_numeric(domain, replace(problem, goal=TRUE), alarm.flag, (), most_actions)
    except (Stopped, LimitError):
        return {}
    if task is None or len(task.operators) * len(task.atoms) > MOST_PAIRED:
        return {}
    found = companions(task)
    return {
        atom: frozenset(task.atoms[bit] for bit in bits_of(others))
        for atom, others in zip(task.atoms, found, strict=True)
    }


def list_states(
    task: NumericTask,
    problem: Problem,
    most: int,
    alarm: Alarm,
    watch: Callable[[int, int], object] = lambda done, most: None,
) -> StateSpace | None:
    """Return all reachable states of a problem by its ground task; see ``reachable_states``."""
    successors, operators = Successors(task), task.operators
    base = frozenset(problem.init) - frozenset(task.atoms)

    def steps_of(state: Packed) -> Iterator[tuple[GroundAction, Packed]]:
        return ((operators[index].action, after) for index, after in successors.of(state))

    return _explore(task.initial, steps_of, lambda state: plain_state(state, task, base), most, alarm, watch)


def _explore(
    first: T,
    steps_of: Callable[[T], Iterable[tuple[GroundAction, T]]],
    plain: Callable[[T], State],
    most: int,
    alarm: Alarm,
    watch: Callable[[int, int], object],
) -> StateSpace | None:
    """List states breadth first; None if they are more than ``most``, or the clock has run out."""
    order = [first]
    numbers = {first: 0}
    found: list[tuple[int, GroundAction] | None] = [None]
    steps: list[tuple[tuple[GroundAction, int], ...]] = []
    while len(steps) < len(order):
        at, here = len(steps), []
        watch(at, most)
        if alarm.flag[0]:
            return None
        for action, after in steps_of(order[at]):
            number = numbers.setdefault(after, len(order))
            if number == len(order):
                if number == most:
                    return None
                order.append(after)
                found.append((at, action))
            if number != at:
                here.append((action, number))
        steps.append(tuple(here))
    return StateSpace(tuple(map(plain, order)), tuple(found), tuple(steps))


def _one_by_one(world: PlanWorld, most: int, alarm: Alarm, watch: Callable[[int, int], object]) -> StateSpace | None:
    """List the states of a domain with derived predicates: what is derived is derived once for each state."""
    derived = {axiom.head.name for axiom in world.domain.axioms}
    closed = cache(world.closed)

    def steps_of(state: State) -> Iterator[tuple[GroundAction, State]]:
        facts = Facts(closed(state))
        for action in applicable(world.domain, world.universe, facts):
            if world.refusal(action, facts) is None:
                deleted, added = world.effects(action, facts)
                yield action, _without_derived((facts.atoms - deleted) | added, derived)

    return _explore(_without_derived(world.initial(), derived), steps_of, closed, most, alarm, watch)


def _without_derived(state: Collection[GroundAtom], derived: Collection[str]) -> State:
    """Return what actions made true."""
    return frozenset(atom for atom in state if atom[0] not in derived)


def plain_state(state: Packed, task: NumericTask, base: State) -> State:
    """Return a state of a ground task as atoms; ``base`` has those that never change."""
    values = [value_atom(fluent, value) for fluent, value in zip(task.fluents, state[1], strict=True)
              if value is not None]  # fmt: skip
    atoms = (task.atoms[bit] for bit in bits_of(state[0]))
    return base.union((atom for atom in atoms if atom[0] != UNSET), values)


# Renamings of objects that turn one set of coloured atoms into another.


Coloured: TypeAlias = Mapping[tuple[str, ...], Hashable]
"""What is said of objects: a name, then objects; and a colour that must be the same on both sides."""


@dataclass(frozen=True, slots=True)
class Structure:
    """Objects with their own colours (types), and coloured atoms over them."""

    objects: Mapping[str, Hashable]
    atoms: Coloured


class TooMany(Exception):
    """More objects were tried out than allowed."""


def renamings(one: Structure, other: Structure, tries: int = 200_000) -> Iterator[dict[str, str]]:
    """Yield every renaming of objects that turns one structure into the other.

    Objects are told apart by refinement of their colours first; what is left is tried out, atom by atom.

    Args:
        one: The structure that is renamed.
        other: What it is to become.
        tries: How many objects may be tried out.

    Raises:
        TooMany: There is more to try.
    """
    if len(one.objects) != len(other.objects) or len(one.atoms) != len(other.atoms):
        return
    if any(other.atoms.get(atom) != colour for atom, colour in one.atoms.items() if len(atom) == 1):
        return
    first, second = _refine(one, other)
    if Counter(first.values()) != Counter(second.values()):
        return
    classes: dict[int, list[str]] = {}
    for name, colour in second.items():
        classes.setdefault(colour, []).append(name)
    around: dict[str, list[tuple[str, ...]]] = {name: [] for name in one.objects}
    for atom in one.atoms:
        for name in dict.fromkeys(atom[1:]):
            if name in around:
                around[name].append(atom)
    order = _order(first, classes, around)
    yield from _Search(one, other, first, classes, around, order, tries).extend({}, set())


def _order(
    colours: Mapping[str, int], classes: Mapping[int, list[str]], around: Mapping[str, list[tuple[str, ...]]]
) -> list[str]:
    """Objects in the order of trying: few candidates first, then what is tied to those before."""
    left = sorted(colours, key=lambda name: (len(classes[colours[name]]), -len(around[name]), name))
    found: list[str] = []
    known: set[str] = set()
    while left:
        tied = [name for name in left if any(known & set(atom[1:]) for atom in around[name])]
        pool = tied or left
        name = min(pool, key=lambda each: (len(classes[colours[each]]), left.index(each)))
        left.remove(name)
        found.append(name)
        known.add(name)
    return found


@dataclass(slots=True)
class _Search:
    """Trying out objects one after the other."""

    one: Structure
    other: Structure
    colours: Mapping[str, int]
    classes: Mapping[int, list[str]]
    around: Mapping[str, list[tuple[str, ...]]]
    order: list[str]
    tries: int

    def extend(self, mapping: dict[str, str], used: set[str]) -> Iterator[dict[str, str]]:
        """Yield the renamings that agree with one of some objects; the same name is tried first."""
        if len(mapping) == len(self.order):
            yield dict(mapping)
            return
        name = self.order[len(mapping)]
        for candidate in sorted(self.classes[self.colours[name]], key=lambda each: (each != name, each)):
            if candidate in used:
                continue
            self.tries -= 1
            if self.tries < 0:
                raise TooMany
            mapping[name] = candidate
            used.add(candidate)
            if all(_fits(atom, self.one, self.other, mapping) for atom in self.around[name]):
                yield from self.extend(mapping, used)
            used.discard(candidate)
            del mapping[name]


def _fits(atom: tuple[str, ...], one: Structure, other: Structure, mapping: Mapping[str, str]) -> bool:
    """Whether an atom whose objects are all renamed is there on the other side, in the same colour."""
    if any(name in one.objects and name not in mapping for name in atom[1:]):
        return True
    image = (atom[0], *[mapping.get(name, name) for name in atom[1:]])
    return image in other.atoms and other.atoms[image] == one.atoms[atom]


def _refine(one: Structure, other: Structure) -> tuple[dict[str, int], dict[str, int]]:
    """Colours of the objects of both structures, refined by the atoms they are in until nothing changes."""
    names: dict[Hashable, int] = {}

    def number(key: Hashable) -> int:
        return names.setdefault(key, len(names))

    first = {name: number(("type", colour)) for name, colour in one.objects.items()}
    second = {name: number(("type", colour)) for name, colour in other.objects.items()}
    classes = 0
    while classes < (now := len(set(first.values()) | set(second.values()))):
        classes = now
        first, second = _round(one, first, number), _round(other, second, number)
    return first, second


def _round(structure: Structure, colours: Mapping[str, int], number: Callable[[Hashable], int]) -> dict[str, int]:
    seen: dict[str, Counter[Hashable]] = {name: Counter() for name in structure.objects}
    for atom, colour in structure.atoms.items():
        around = (atom[0], colour, tuple(colours.get(name, name) for name in atom[1:]))
        for place, name in enumerate(atom[1:]):
            if name in seen:
                seen[name][(place, around)] += 1
    return {name: number((colours[name], frozenset(seen[name].items()))) for name in structure.objects}
