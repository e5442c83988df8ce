"""Relevance: which objects a goal seems to need, so that most of the problem need not be grounded.

The atoms that the goal mentions are demanded; what the first (shallowest) derivation of each uses is kept.
Facts that hold from the start demand nothing. Nothing here has to be complete: a plan found with the kept
objects is checked on the whole problem, and the full task is always the last rung.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from math import inf
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.pddl.syntax import And, AtLeast, Domain, Exists, Forall, Formula, GroundAtom, Not, Or, Problem
from chorewright.domains.rewriting import predicates_mentioned_in
from chorewright.files.lazily import Remembered
from chorewright.planner.grounding.goal_atoms import GoalAtoms, Made, constants
from chorewright.planner.grounding.joins.demand import DemandProgram, with_demand
from chorewright.planner.grounding.joins.derivation import NEVER, UNLIMITED_MEMORY, MemoryBudget, Wish, derive, trace
from chorewright.planner.grounding.lifting import LiftedRules, lift_rules
from chorewright.planner.grounding.normal_form import Known
from chorewright.planner.grounding.numbering import NumberedProblem, Types, TypeSets, normal_goal, signatures

# Alike objects: those that a problem does not tell apart, of which a goal needs only a few.
#
# Two objects are alike if the problem stays the same when they change places: they are of the same declared
# types, and each has the initial atoms of the other. Of the slices of one loaf, a goal that asks for one slice
# of bread needs one.


_OWN = -2
"""In place of an object among the arguments of its own atoms."""


def witnesses(goal: Formula) -> Mapping[Types, float]:
    """How many objects of some types a goal in negation normal form may need at once, as far as it says.

    Returns:
        The number by types; infinite under a universal quantifier.
    """
    found: defaultdict[Types, float] = defaultdict(float)
    waiting: list[tuple[Formula, float]] = [(goal, 1)]
    while waiting:
        formula, times = waiting.pop()
        match formula:
            case And(operands) | Or(operands):
                waiting.extend((operand, times) for operand in operands)
            case Exists(variables, body):
                for variable in variables:
                    found[variable.types] += times
                waiting.append((body, times))
            case AtLeast(count, variables, body):
                for variable in variables:
                    found[variable.types] += times * count
                waiting.append((body, times * count))
            case Forall(variables, body) | Not(AtLeast(_, variables, body)):
                for variable in variables:
                    found[variable.types] = inf
                waiting.append((body, inf))
    return found


def find_unneeded(
    domain: Domain, numbered: NumberedProblem, types: TypeSets, goal: Formula, named: NDArray[np.bool_]
) -> NDArray[np.bool_] | None:
    """Flags of the objects of which the goal has enough others that are alike; None if there are none.

    Of those alike, the last ones declared are left out, but only for a goal that needs one such object in
    all: where it needs several, what is done with one of them leads to what is cheap for the next.

    Args:
        domain: the domain.
        numbered: the problem in numbers.
        types: knows which objects are of which types.
        goal: the goal in negation normal form.
        named: flags of the objects that may be left out: the ones that may serve the goal.
    """
    objects = numbered.objects
    needed = np.zeros(len(objects.kinds))
    asked = [(types.fits(wanted, objects), count) for wanted, count in witnesses(goal).items()]
    for fits, count in asked:
        needed[fits] += count
    for function in domain.functions:
        for parameter in function.parameters:
            needed[types.fits(parameter.types, objects)] = inf
    candidates = named.copy()
    candidates[: len(domain.constants)] = False
    candidates[[objects.numbers[name] for name in constants(goal)]] = False
    sizes = np.bincount(objects.kind[candidates], minlength=len(objects.kinds))
    candidates &= ((needed > 0) & (needed < sizes))[objects.kind]
    found = np.zeros(len(objects.names), np.bool_)
    seen: Counter[tuple[int, bytes]] = Counter()
    for number, atoms in _atoms(numbered, candidates):
        kind = int(objects.kind[number])
        seen[kind, atoms] += 1
        found[number] = seen[kind, atoms] > needed[kind]
    alike = np.bincount(objects.kind[found], minlength=len(objects.kinds)) > 0
    return found if sum(count for fits, count in asked if fits[alike].any()) == 1 else None


def _atoms(numbered: NumberedProblem, chosen: NDArray[np.bool_]) -> list[tuple[int, bytes]]:
    """The chosen objects, ascending, with the initial atoms of each, in which it is not named."""
    rows = numbered.arguments
    # The last flag is for the padding, which has the number -1.
    row, column = np.nonzero(np.append(chosen, False)[rows])
    owner = rows[row, column]
    atoms = np.column_stack([owner, numbered.predicates[row], rows[row]])
    atoms[:, 2:][atoms[:, 2:] == owner[:, None]] = _OWN
    atoms = atoms[np.lexsort(atoms.T[::-1])]
    members = np.flatnonzero(chosen)
    first = np.searchsorted(atoms[:, 0], members, "left")
    last = np.searchsorted(atoms[:, 0], members, "right")
    pairs = zip(members.tolist(), first.tolist(), last.tolist(), strict=True)
    return [(number, atoms[start:end, 1:].tobytes()) for number, start, end in pairs]


Literal: TypeAlias = tuple[GroundAtom, bool]
"""An atom, and whether it is asked to hold."""


class Unreachable(Exception):
    """No plan can make the goal true."""


_STRICT: Remembered[LiftedRules] = Remembered()
_PROGRAMS: Remembered[tuple[LiftedRules, DemandProgram]] = Remembered()
_MOST_LITERALS = 20_000
_MOST_PAIRS = 20_000
"""Pairs of literals in one body of a domain's rules, as demand makes rules for each; ground actions have more."""


def demand_program(
    domain: Domain, known: Known, tight: bool, frugal: bool, backwards: bool = False
) -> tuple[LiftedRules, DemandProgram]:
    """The domain's rules with demand, remembered for the next problem.

    Raises:
        LimitError: an action has too many parameters.
    """

    def compiled() -> tuple[LiftedRules, DemandProgram]:
        lifted = _strict(domain, known)
        return lifted, with_demand(lifted, tight, frugal, backwards)

    return _PROGRAMS.of(domain, (known, tight, frugal, backwards), compiled)


def _strict(domain: Domain, known: Known) -> LiftedRules:
    return _STRICT.of(domain, known, lambda: lift_rules(domain, known, strict=True))


def relevant_objects(
    domain: Domain,
    problem: Problem,
    level: int,
    stop: NDArray[np.int64] = NEVER,
    memory: MemoryBudget = UNLIMITED_MEMORY,
    frugal: bool = True,
    few_alike: bool = False,
) -> frozenset[str] | None:
    """Objects that plans for the goal are likely to touch; None if this level cannot tell.

    From level 1 on, whatever the goal demands is derived to the end, and that is a test of its reachability:
    the rules derive every literal that some sequence of actions can bring about. They ignore that effects
    undo each other, and take quantified and negated derived conditions as met; a demand is raised for every
    literal in the body of a rule whose head is demanded, unless that very literal holds from the start. So a
    literal of the goal that neither holds at first nor is derived never holds.

    Level 0 does not ask for what some initial atom gives, as far as it is known by then what is asked for. Where the
    initial atom is of no use (a loaf lies in the fridge, and is not cut there), it tries once more and passes on
    through the rules from the other end what is known.

    If ``frugal``, of several ways to the goal fewer are looked at where all actions cost the same. If
    ``few_alike``, level 0 leaves out objects of which the goal has enough others that are alike.

    Args:
        domain: The domain.
        problem: The problem.
        level: How much is derived: at 0 as little as possible, more from 1 on.
        stop: One number; another thread sets it to non-zero to end derivation.
        memory: What derivation may take.
        frugal: Whether to look at fewer ways.
        few_alike: Whether level 0 leaves out some of the objects that are alike.

    Raises:
        Unreachable: the goal cannot hold in any state; never at level 0, which does not derive everything.
        Stopped: ``stop[0]`` was set by another thread.
        OutOfMemory, LimitError: too many atoms are derived; see ``derive``.
    """
    numbered = NumberedProblem.of(domain, problem)
    frugal = frugal and not problem.minimize_cost
    lifted = _strict(domain, numbered.known)
    if sum(len(rule.body) ** 2 for rule in lifted.rules) > _MOST_PAIRS:
        return None
    goal = normal_goal(problem, numbered.known)
    objects = numbered.objects
    static = signatures(domain).static
    walker = GoalAtoms(
        frozenset(problem.init), static, objects, lifted.types, _find_made(lifted, numbered, static, goal)
    )
    wanted: dict[Literal, None] = {}
    for literal in walker.literals(goal, {}):
        wanted[literal] = None
        if len(wanted) > _MOST_LITERALS:
            return None
    named = {t for t in constants(goal) if t in objects.numbers}
    kept = None
    if few_alike and level == 0:
        kept = _enough(domain, numbered, lifted.types, goal, wanted)
    for backwards in (False, True) if level == 0 else (False,):
        _, demand = demand_program(domain, numbered.known, level == 0, frugal, backwards)
        atoms, derived = _mark_wanted(lifted, demand, numbered, kept, wanted, walker.initial, level == 0, stop, memory)

        def can(atom: GroundAtom, positive: bool, derived: Collection[Literal] = derived) -> bool:
            if not positive and atom[0] in lifted.derived:
                return True
            return (atom in walker.initial) == positive or (atom, positive) in derived or (atom, positive) not in wanted

        if walker.possible(goal, {}, can):
            return frozenset(named | {objects.names[i] for i in atoms})
    if level > 0:
        raise Unreachable
    return None


def _find_made(lifted: LiftedRules, numbered: NumberedProblem, static: frozenset[str], goal: Formula) -> Made:
    """For each predicate of a goal that actions change, of what objects its rules make atoms."""
    objects = numbered.objects
    kinds = lifted.types.matrix(objects, None)
    members: dict[int, frozenset[str]] = {-1: frozenset(objects.names)}

    def of_type(number: int) -> frozenset[str]:
        if number not in members:
            members[number] = frozenset(objects.names[i] for i in np.flatnonzero(kinds[:, number]).tolist())
        return members[number]

    changing = [name for name in predicates_mentioned_in(goal) if name not in static and name in lifted.predicates]
    names = {lifted.predicates[name]: name for name in changing}
    found: dict[str, list[list[frozenset[str]]]] = {name: [] for name in names.values()}
    for rule in lifted.rules:
        name = names.get(rule.head.predicate)
        if name is not None:
            found[name].append([of_type(rule.types[term] if term >= 0 else -1) for term in rule.head.terms])
    return found


def _enough(
    domain: Domain, numbered: NumberedProblem, types: TypeSets, goal: Formula, wanted: Iterable[Literal]
) -> NDArray[np.bool_] | None:
    """Flags of the objects without those of which there are enough others alike; None to keep all."""
    numbers = numbered.objects.numbers
    named = np.zeros(len(numbers), np.bool_)
    named[[numbers[name] for (_, *terms), _ in wanted for name in terms]] = True
    spare = find_unneeded(domain, numbered, types, goal, named)
    return None if spare is None else ~spare


def _mark_wanted(
    lifted: LiftedRules,
    demand: DemandProgram,
    numbered: NumberedProblem,
    kept: NDArray[np.bool_] | None,
    wanted: Iterable[Literal],
    initial: frozenset[GroundAtom],
    impatient: bool,
    stop: NDArray[np.int64],
    memory: MemoryBudget,
) -> tuple[list[int], frozenset[Literal]]:
    """Numbers of the objects in the first derivations of the wanted literals, and the literals derived.

    ``kept`` flags the only objects to consider (None: all).
    If ``impatient``, derivation ends when no further wanted literal has been derived for long.
    """
    width = demand.program.width
    predicates: list[int] = []
    rows: list[list[int]] = []
    goals: list[tuple[int, list[int]]] = []
    literals: list[Literal] = []
    for atom, positive in wanted:
        if (atom in initial) == positive:
            continue
        number = lifted.predicates[atom[0]] if positive else lifted.absent.get(atom[0], -1)
        asked = demand.demands.get(number)
        if asked is None:
            continue
        arguments = [numbered.objects.numbers[name] for name in atom[1:]]
        if kept is not None and not all(kept[arguments]):
            continue
        row = arguments + [-1] * (width - len(arguments))
        predicates.append(asked)
        rows.append(row)
        goals.append((number, arguments))
        literals.append((atom, positive))
    given, facts = numbered.initial(width, kept)
    copied, copies = demand.copies(given, facts)
    program = demand.program
    wish = Wish(demand.increment, demand.late, demand.asked_by, len(goals) if impatient else -1, demand.last_rounds)
    atoms = derive(
        program,
        np.concatenate([given, np.asarray(predicates, np.int32), copied]),
        np.vstack([facts, np.asarray(rows, np.int32).reshape(len(rows), width), copies]),
        lifted.types.matrix(numbered.objects, kept),
        stop,
        wish,
        memory,
    )
    seeds = np.full(len(goals), -1, np.int32)
    for predicate in dict.fromkeys(number for number, _ in goals):
        places = [i for i, (number, _) in enumerate(goals) if number == predicate]
        named = np.asarray([goals[i][1] for i in places], np.int32)
        seeds[places] = atoms.look_up(predicate, named)
    derived = frozenset(literals[i] for i in np.flatnonzero(seeds >= 0).tolist())
    marked = np.zeros(len(atoms.predicates), np.bool_)
    trace(seeds[seeds >= 0], atoms.reasons, atoms.atoms, program.arity, demand.bodies, demand.ordinary, marked)
    used = atoms.arguments[marked]
    arity = program.arity[atoms.predicates[marked]]
    used = used[np.arange(used.shape[1]) < arity[:, None]]
    return [int(i) for i in np.unique(used)], derived
