"""From ground literals to a compact task: unreachable and irrelevant parts go, facts are numbered anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from chorewright.planner.grounding import reachability
from chorewright.planner.grounding.reachability import Reached
from chorewright.planner.grounding.task import CsrLists, Int32, Int64, Task, distinct, lists

Block = tuple[Int64, Int32]


@dataclass(slots=True)
class TaskDraft:
    """Operators, effects and axioms over literals of atoms and auxiliary facts, collected block by block.

    A literal is ``2 * fact``, or ``2 * fact + 1`` if it is negated. A ``Block`` is two arrays of one length: owners,
    ascending, and a literal of each.

    Attributes:
        atom_count: How many atoms there are; auxiliary facts are numbered from here.
        derived: Marks of the atoms that axioms alone decide.
        level: The stratum of each atom.
        operators: How many operators there are so far.
        effects: How many effects there are so far.
        axioms: How many axioms there are so far.
        precondition: The literals that operators need.
        condition: The literals that effects need besides.
        head: The literals that effects make true.
        body: The literals that axioms need.
        cost: The operators' costs, in the problem's unit; an array for each block.
        action: For each block of operators the schema, the objects (operators x parameters), and the schema's arity.
        effect_operator: The operator of each effect; an array for each block.
        axiom_head: The fact that each axiom derives; an array for each block.
    """

    atom_count: int
    derived: NDArray[np.bool_]
    level: Int32
    operators: int = 0
    effects: int = 0
    axioms: int = 0
    precondition: list[Block] = field(default_factory=list)
    condition: list[Block] = field(default_factory=list)
    head: list[Block] = field(default_factory=list)
    body: list[Block] = field(default_factory=list)
    cost: list[NDArray[np.float64]] = field(default_factory=list)
    action: list[tuple[int, Int32, int]] = field(default_factory=list)
    effect_operator: list[Int64] = field(default_factory=list)
    axiom_head: list[Int32] = field(default_factory=list)

    def add_operators(
        self, action: int, arguments: Int32, literals: Int32, cost: NDArray[np.float64], arity: int
    ) -> Int64:
        """Add operators of one action schema.

        Args:
            action: The schema's number.
            arguments: The objects of each operator (operators x parameters).
            literals: The literals that each needs (operators x most literals; the rest is negative).
            cost: What each adds to the metric, in the problem's unit.
            arity: The schema's arity.

        Returns:
            The operators' numbers.
        """
        first = self.operators
        self.operators += len(arguments)
        self.precondition.append(_pairs(literals, first))
        self.cost.append(cost)
        self.action.append((action, arguments, arity))
        return np.arange(first, self.operators)

    def add_effects(self, operators: Int64, conditions: Int32, heads: Int32) -> None:
        """Add effects; none if they make nothing true.

        Args:
            operators: The operator of each effect.
            conditions: The literals that each needs besides (effects x most literals; the rest is negative).
            heads: The literals that each makes true, likewise.
        """
        if not heads.shape[1]:
            return
        first = self.effects
        self.effects += len(operators)
        self.effect_operator.append(operators)
        self.condition.append(_pairs(conditions, first))
        self.head.append(_pairs(heads, first))

    def add_axioms(self, heads: Int32, bodies: Int32) -> None:
        """Add axioms.

        Args:
            heads: The fact that each derives.
            bodies: The literals that each needs (axioms x most literals; the rest is negative).
        """
        first = self.axioms
        self.axioms += len(heads)
        self.axiom_head.append(heads)
        self.body.append(_pairs(bodies, first))


def _pairs(matrix: Int32, first: int) -> Block:
    if not matrix.size:
        return np.zeros(0, np.int64), np.zeros(0, np.int32)
    row, column = np.nonzero(matrix >= 0)
    return row + first, matrix[row, column]


def _join(blocks: Sequence[Block], size: int) -> CsrLists:
    """Concatenate blocks whose owners ascend."""
    if not blocks:
        return CsrLists(np.zeros(size + 1, np.int64), np.zeros(0, np.int32))
    owners = np.concatenate([owner for owner, _ in blocks])
    start = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(owners, minlength=size), out=start[1:])
    return CsrLists(start, np.concatenate([items for _, items in blocks]).astype(np.int32, copy=False))


@dataclass(frozen=True, slots=True)
class TaskSymbols:
    """The names that a task keeps for its numbers.

    Attributes:
        actions: The names of the action schemas.
        objects: The objects' names.
        predicates: The predicates' names.
        reached: The reachable atoms.
        arity: The arity of each predicate.
    """

    actions: tuple[str, ...]
    objects: tuple[str, ...]
    predicates: tuple[str, ...]
    reached: Reached
    arity: Int32


def finish(
    draft: TaskDraft,
    auxiliary_strata: Sequence[int],
    initial_atoms: NDArray[np.bool_],
    goal: Int32,
    symbols: TaskSymbols,
) -> Task | None:
    """Leave out what cannot matter to the goal, and number the rest anew.

    Args:
        draft: The operators, effects and axioms.
        auxiliary_strata: The stratum of each auxiliary fact.
        initial_atoms: Marks of the atoms that are true in the initial state.
        goal: The literals that are to be true.
        symbols: The names that the task keeps for its numbers.

    Returns:
        The task; None if the goal is unreachable when deletions are ignored.
    """
    facts = draft.atom_count + len(auxiliary_strata)
    derived = np.ones(facts, np.bool_)
    derived[: draft.atom_count] = draft.derived
    level = np.concatenate([draft.level, np.asarray(auxiliary_strata, np.int32)])
    initial = np.zeros(facts, np.bool_)
    initial[: draft.atom_count] = initial_atoms
    pre = _join(draft.precondition, draft.operators)
    cond = _join(draft.condition, draft.effects)
    head = _join(draft.head, draft.effects)
    body = _join(draft.body, draft.axioms)
    effect_operator = np.concatenate([np.zeros(0, np.int64), *draft.effect_operator])
    axiom_head = np.concatenate([np.zeros(0, np.int32), *draft.axiom_head])

    reachable = np.zeros(2 * facts, np.bool_)
    reachable[0::2] = initial
    reachable[1::2] = ~initial | derived
    operator_on = np.zeros(draft.operators, np.bool_)
    effect_on = np.zeros(draft.effects, np.bool_)
    axiom_on = np.zeros(draft.axioms, np.bool_)
    structure = (*pre, effect_operator, *cond, *head, axiom_head, *body)
    reachability.reach(reachable, structure, operator_on, effect_on, axiom_on)
    if not reachable[goal].all():
        return None

    # A literal is fixed when it holds in every reachable state, i.e. when its opposite cannot be reached.
    fixed = ~reachable.reshape(-1, 2)[:, ::-1].reshape(-1)
    wanted = np.zeros(2 * facts, np.bool_)
    wanted[goal] = ~fixed[goal]
    operator_used = np.zeros(draft.operators, np.bool_)
    effect_used = np.zeros(draft.effects, np.int8)
    axiom_used = np.zeros(draft.axioms, np.bool_)
    used = operator_used, effect_used, axiom_used
    reachability.relevant(wanted, fixed, structure, operator_on, effect_on, axiom_on, used)
    in_use = operator_used, (effect_used > 0) & operator_used[effect_operator], axiom_used
    kept = _Kept(facts, derived, level, initial, goal, fixed, wanted, *map(np.flatnonzero, in_use))
    return _renumber(kept, draft, (pre, cond, head, body), effect_operator, axiom_head, symbols)


@dataclass(frozen=True, slots=True)
class _Kept:
    """What is kept of a draft, in the draft's numbers.

    Attributes:
        facts: How many facts the draft has.
        derived: Marks of the facts that axioms alone decide.
        level: The stratum of each fact.
        initial: Marks of the facts that are true in the initial state.
        goal: The literals that are to be true.
        fixed: Marks of the literals that hold in every reachable state (twice as many as facts).
        wanted: Marks of the literals that the goal depends on, likewise.
        operators: The operators that are kept, ascending.
        effects: The effects that are kept, ascending.
        axioms: The axioms that are kept, ascending.
    """

    facts: int
    derived: NDArray[np.bool_]
    level: Int32
    initial: NDArray[np.bool_]
    goal: Int32
    fixed: NDArray[np.bool_]
    wanted: NDArray[np.bool_]
    operators: Int64
    effects: Int64
    axioms: Int64


def _renumber(
    kept: _Kept,
    draft: TaskDraft,
    tables: tuple[CsrLists, CsrLists, CsrLists, CsrLists],
    effect_operator: Int64,
    axiom_head: Int32,
    symbols: TaskSymbols,
) -> Task:
    pre, cond, head, body = tables
    wanted = kept.wanted.reshape(-1, 2)
    tracked = np.flatnonzero(wanted.any(axis=1))
    fact_of = np.full(2 * kept.facts, -1, np.int32)
    fact_of[2 * tracked] = np.arange(len(tracked))

    # Only what some condition asks for gets a complement.
    order = np.argsort(effect_operator[kept.effects], kind="stable")
    effects = kept.effects[order]
    pre_pairs = _select(pre, kept.operators, ~kept.fixed)
    cond_pairs = _select(cond, effects, ~kept.fixed)
    body_pairs = _select(body, kept.axioms, ~kept.fixed)
    goal = np.unique(kept.goal[~kept.fixed[kept.goal]])
    asked = np.zeros(2 * kept.facts, np.bool_)
    for items in (pre_pairs[1], cond_pairs[1], body_pairs[1], goal):
        asked[items] = True
    negative = np.flatnonzero(asked[1::2])
    fact_of[2 * negative + 1] = len(tracked) + np.arange(len(negative))
    count = len(tracked) + len(negative)
    complement = np.full(count, -1, np.int32)
    positive = fact_of[2 * negative]
    complement[positive] = len(tracked) + np.arange(len(negative))
    complement[len(tracked) :] = positive

    is_tracked = np.zeros(2 * kept.facts, np.bool_)
    is_tracked[2 * tracked] = True
    is_tracked[2 * tracked + 1] = True
    owner, heads = _select(head, effects, is_tracked)
    adds = (heads & 1) == 0
    head_facts = fact_of[heads & ~1]

    derived = np.zeros(count, np.bool_)
    derived[: len(tracked)] = kept.derived[tracked]
    derived[len(tracked) :] = kept.derived[negative]
    initial = np.zeros(count, np.bool_)
    initial[: len(tracked)] = kept.initial[tracked]
    initial[len(tracked) :] = ~kept.initial[negative]

    operators = kept.operators
    new_operator = np.full(draft.operators + 1, -1, np.int64)
    new_operator[operators] = np.arange(len(operators))
    effect_owner = new_operator[effect_operator[effects]]
    effect_start = np.zeros(len(operators) + 1, np.int64)
    np.cumsum(np.bincount(effect_owner, minlength=len(operators)), out=effect_start[1:])

    heads_of_axioms = axiom_head[kept.axioms]
    by_stratum = np.argsort(kept.level[heads_of_axioms], kind="stable")
    axioms = kept.axioms[by_stratum]
    body_pairs = _select(body, axioms, ~kept.fixed)

    width = max((arguments.shape[1] for _, arguments, _ in draft.action), default=0)
    arguments = np.full((draft.operators, width), -1, np.int32)
    action = np.zeros(draft.operators, np.int32)
    arities = np.zeros(draft.operators, np.int32)
    first = 0
    for number, rows, parameters in draft.action:
        last = first + len(rows)
        arguments[first:last, : rows.shape[1]] = rows
        action[first:last] = number
        arities[first:last] = parameters
        first = last
    cost = np.concatenate([np.zeros(0), *draft.cost])

    atoms = tracked[tracked < draft.atom_count]
    fact_predicate = np.full(count, -1, np.int32)
    fact_arguments = np.full((count, symbols.reached.atoms.arguments.shape[1]), -1, np.int32)
    fact_predicate[: len(atoms)] = symbols.reached.atoms.predicates[atoms]
    fact_arguments[: len(atoms)] = symbols.reached.atoms.arguments[atoms]
    return Task(
        fact_count=count,
        complement=complement,
        derived=derived,
        initial=initial,
        goal=np.sort(fact_of[goal]).astype(np.int32),
        precondition=_facts(pre_pairs, fact_of, len(operators)),
        cost=cost[operators],
        effect_start=effect_start,
        effect_condition=_facts(cond_pairs, fact_of, len(effects)),
        effect_add=lists(len(effects), owner[adds], head_facts[adds]),
        effect_delete=lists(len(effects), owner[~adds], head_facts[~adds]),
        axiom_head=fact_of[2 * axiom_head[axioms]].astype(np.int32),
        axiom_body=_facts(body_pairs, fact_of, len(axioms)),
        axiom_stratum=kept.level[axiom_head[axioms]].astype(np.int32),
        action_names=symbols.actions,
        operator_action=action[operators],
        operator_arguments=arguments[operators],
        operator_arity=arities[operators],
        objects=symbols.objects,
        fact_names=symbols.predicates,
        fact_predicate=fact_predicate,
        fact_arguments=fact_arguments,
        fact_arity=np.where(fact_predicate >= 0, symbols.arity[fact_predicate], 0).astype(np.int32),
    )


def _select(table: CsrLists, rows: Int64, flags: NDArray[np.bool_]) -> tuple[Int64, Int32]:
    """(new owner, item) pairs of the chosen lists, only the items that are flagged."""
    chosen = table.rows(rows)
    kept = flags[chosen.items]
    return chosen.owners()[kept], chosen.items[kept]


def _facts(pairs: tuple[Int64, Int32], fact_of: Int32, size: int) -> CsrLists:
    """CsrLists of facts, each without repetitions and ascending."""
    owner, literals = pairs
    if not len(owner):
        return lists(size, owner, literals)
    facts = fact_of[literals].astype(np.int64)
    width = int(facts.max()) + 1
    code = distinct(owner * width + facts)
    return lists(size, code // width, (code % width).astype(np.int32))
