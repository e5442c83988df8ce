"""The abstractions of a task: one that keeps all that may matter to any state, and small ones below it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from chorewright.planner.cost_to_go.abstraction import Abstraction, abstract
from chorewright.planner.cost_to_go.goal_branches import Branch, branches_of
from chorewright.planner.cost_to_go.pairs import Group, split_into_pairs
from chorewright.planner.cost_to_go.proof_tasks import Bits, ProofRecord, ReadyTask, digest_of
from chorewright.planner.cost_to_go.unneeded_operators import collapse, prune, subset
from chorewright.planner.grounding.task import Int32, Int64, Task

HOPS = 2
"""Where the goal's objects are at some start is kept too, and where that is."""

_MOST_ABSTRACTIONS = 512
"""Abstractions of single states that are remembered; when there are more, all are made anew."""

Key = tuple[frozenset[int], bytes, bytes]
"""What tells abstractions apart: the objects kept, what is settled, the goal's branch."""


def symmetric_objects(task: Task, kept: Bits) -> Int32:
    """Class the objects that are not kept: alike are those that have the same places in the same actions.

    Args:
        task: The task.
        kept: Marks of the kept objects.

    Returns:
        The class of each object, from 0; -1 for kept ones.
    """
    arguments = task.operator_arguments
    width = max(1, arguments.shape[1])
    places = np.zeros((len(task.objects), max(1, len(task.action_names)) * width), np.bool_)
    for position in range(arguments.shape[1]):
        used = arguments[:, position] >= 0
        places[arguments[used, position], task.operator_action[used] * width + position] = True
    numbers: dict[bytes, int] = {}
    classes = np.full(len(task.objects), -1, np.int32)
    for i in np.flatnonzero(~kept).tolist():
        classes[i] = numbers.setdefault(places[i].tobytes(), len(numbers))
    return classes


def objects_of(task: Task, facts: Iterable[int]) -> set[int]:
    """The objects that facts and complements of facts speak of."""
    found: set[int] = set()
    for fact in facts:
        positive = fact if task.fact_predicate[fact] >= 0 else int(task.complement[fact])
        if positive >= 0 and task.fact_predicate[positive] >= 0:
            found.update(task.fact_arguments[positive, : task.fact_arity[positive]].tolist())
    return found


def _actors(task: Task) -> frozenset[int]:
    """Objects in a quarter of the operators or more: those who act."""
    arguments = task.operator_arguments
    counts = np.bincount(arguments[arguments >= 0], minlength=len(task.objects))
    return frozenset(np.flatnonzero(4 * counts >= max(1, task.operator_count)).tolist())


def _steady(task: Task, owners: Int32, starts: Sequence[Bits]) -> frozenset[Group]:
    """The groups of which each start has exactly one fact."""
    found: set[Group] = set()
    for family, mine in enumerate(owners):
        counts = np.asarray([np.bincount(mine[s & (mine >= 0)], minlength=len(task.objects)) for s in starts])
        found.update((family, task.objects[i]) for i in np.flatnonzero((counts == 1).all(axis=0)).tolist())
    return frozenset(found)


def goal_facts(task: Task) -> Int32:
    """The facts that the goal and its axioms speak of."""
    facts = np.unique(np.concatenate((task.goal, task.axiom_body.items))).astype(np.int32)
    return facts[~task.derived[facts]]


def definite_last(below: Abstraction, kept: int) -> Abstraction:
    """Operators without merged objects come last: of equal plans, the search finds theirs first."""
    merged = (below.task.operator_arguments >= kept).sum(axis=1)
    return subset(below, np.argsort(-merged, kind="stable"))


@dataclass(slots=True, eq=False)
class Stage:
    """The abstraction that keeps all that may matter to any state, and those of single states below it.

    Attributes:
        ready: The abstraction of the task.
        kept_from: The task's object that each kept object is; the kept ones come first in the abstraction.
        goal: The abstract facts that the goal and its axioms speak of, ascending.
        actors: The objects that a quarter of the operators or more name.
        owners: For each family the owner of each abstract fact; -1 if it has none (families x facts).
        starts: Marks of the abstract facts that hold in some start state.
        steady: The groups of which each start state has exactly one fact.
        known: The abstractions of single states.
        shared: What was found in equal abstractions, by their digests.
        known_branches: The goal's branches, by the truth of ``goal``.
    """

    ready: ReadyTask
    kept_from: Int64
    goal: Int32
    actors: frozenset[int]
    owners: Int32
    starts: Bits
    steady: frozenset[Group]
    known: dict[Key, ReadyTask] = field(default_factory=dict)
    shared: dict[bytes, ProofRecord] = field(default_factory=dict)
    known_branches: dict[bytes, list[Branch]] = field(default_factory=dict)

    @classmethod
    def of(cls, task: Task, found: list[Int32], cost: Int64, core: Iterable[str], starts: Sequence[Bits]) -> Stage:
        """Build the abstraction that keeps what may matter to any start state.

        Args:
            task: The task; ``proofs.plain`` holds of it.
            found: The owner of each fact, or -1, for each of the task's families.
            cost: The operators' costs, in integer units.
            core: Objects that are likely to matter.
            starts: Marks of the facts that hold, for each start state.
        """
        owners = np.vstack(found) if found else np.zeros((0, task.fact_count), np.int32)
        numbers = {name: i for i, name in enumerate(task.objects)}
        union = np.any(np.vstack(starts), axis=0)
        actors = _actors(task)
        kept = {numbers[name] for name in core if name in numbers} | objects_of(task, goal_facts(task).tolist())
        for _ in range(HOPS):
            mine = np.zeros(len(task.objects) + 1, np.bool_)
            mine[sorted(kept - actors)] = True
            kept |= objects_of(task, np.flatnonzero(union & mine[owners].any(axis=0)).tolist())
        keep = np.zeros(len(task.objects), np.bool_)
        keep[sorted(kept | actors)] = True
        wide = abstract(task, owners, cost, symmetric_objects(task, keep), np.zeros(task.fact_count, np.bool_))
        image = wide.image(union)
        wide = prune(collapse(wide), image)
        return cls(
            ReadyTask.of(wide, ProofRecord(b"")),
            np.flatnonzero(keep),
            goal_facts(wide.task),
            _actors(wide.task),
            wide.owners,
            image,
            _steady(task, owners, starts),
        )

    @property
    def task(self) -> Task:
        """The abstract task."""
        return self.ready.abstraction.task

    def branches(self, image: Bits) -> list[Branch]:
        """Return the goal's branches in a state, remembered by what of the goal holds.

        Args:
            image: Marks of the abstract facts that hold.
        """
        key = image[self.goal].tobytes()
        if key not in self.known_branches:
            self.known_branches[key] = branches_of(self.task, image)
        return self.known_branches[key]

    def opening(self, branch: Branch, image: Bits, relaxed: Sequence[int]) -> tuple[set[int], Bits]:
        """The objects that a branch seems to need, and what it need not ask for.

        The objects are those of its open parts and of a relaxed plan. What holds is settled unless such an
        object, being elsewhere, would make it false; then other ways to make it true are kept as well.

        Args:
            branch: The branch.
            image: Marks of the abstract facts that hold.
            relaxed: The operators of a relaxed plan for the branch.

        Returns:
            The objects' numbers, and marks of the settled facts.
        """
        task = self.task
        kept = objects_of(task, branch.open.tolist())
        for operator in relaxed:
            kept.update(task.operator_arguments[operator, : task.operator_arity[operator]].tolist())
        settled = np.zeros(task.fact_count, np.bool_)
        settled[self.goal] = image[self.goal]
        held = np.flatnonzero(settled)
        mine = np.zeros(len(task.objects) + 1, np.bool_)
        mine[sorted(kept - self.actors)] = True
        taken = held[mine[self.owners[:, held]].any(axis=0)]
        kept |= objects_of(task, [*taken.tolist(), *branch.instead(task, set(taken.tolist()))])
        settled[taken] = False
        settled[[f for f in np.flatnonzero(settled).tolist() if objects_of(task, [f]) <= kept]] = False
        return {i for i in kept if i < len(self.kept_from)}, settled

    def key(self, kept: Iterable[int], settled: Bits, branch: Branch) -> Key:
        """What tells apart the abstraction that ``narrowed`` makes."""
        return frozenset(kept), settled[self.goal].tobytes(), branch.goal.tobytes()

    def narrowed(self, kept: Iterable[int], settled: Bits, branch: Branch) -> ReadyTask:
        """The abstraction that keeps some objects only, for a goal that does not ask for what is settled.

        Args:
            kept: The abstract objects to keep.
            settled: Marks of the abstract facts that the goal does not ask for.
            branch: The branch of the goal.
        """
        key = self.key(kept, settled, branch)
        found = self.known.get(key)
        if found is None:
            task = branch.of(self.task)
            keep = np.zeros(len(task.objects), np.bool_)
            keep[sorted(kept)] = True
            narrow = abstract(task, self.owners, self.ready.cost, symmetric_objects(task, keep), settled)
            if len(self.known) >= _MOST_ABSTRACTIONS:
                self.known.clear()
                self.shared.clear()
            small = definite_last(prune(narrow, narrow.image(self.starts)), int(keep.sum()))
            split, pairs = split_into_pairs(small, self.steady)
            digest = digest_of(split.task, pairs)
            shared = self.shared.setdefault(digest, ProofRecord(digest))
            found = self.known[key] = ReadyTask.of(split, shared, pairs)
        return found
