"""One ground task for many start states: grounded for their union, asked from each of them.

An atom that holds in some start states only must count as reachable both ways. Grounding therefore gets
actions that forget such atoms; they are taken out of the ground task again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.pddl import syntax
from chorewright.files.lazily import Remembered
from chorewright.planner.grounding.grounding import ground
from chorewright.planner.grounding.numbering import signatures
from chorewright.planner.grounding.task import Int64, Task, pack
from chorewright.planner.search.search import Prepared, prepare
from chorewright.planner.search.states import close

_FORGET, _VARIES = "forget#", "varies#"
MOST_BRANCHES = 32

_FORGETTING: Remembered[syntax.Domain] = Remembered()


@dataclass(frozen=True, slots=True)
class Union:
    """The start states' union as a problem over a domain with actions that forget.

    Attributes:
        domain: The domain with the forgetting actions.
        problem: The union as its initial state.
        common: The atoms that all start states share.
    """

    domain: syntax.Domain
    problem: syntax.Problem
    common: syntax.State

    @classmethod
    def of(
        cls, domain: syntax.Domain, problem: syntax.Problem, goal: syntax.Formula, states: Sequence[syntax.State]
    ) -> Union:
        """Unite start states.

        Args:
            domain: The domain.
            problem: The problem; its initial state is left aside.
            goal: The goal.
            states: The start states, one at least.
        """
        derived = {axiom.head.name for axiom in domain.axioms}
        common = states[0].intersection(*states)
        every = sorted(atom for atom in states[0].union(*states) if atom[0] not in derived)
        varying = [atom for atom in every if atom not in common]
        wider = _forgetting(domain, frozenset(atom[0] for atom in varying))
        init = (*every, *((_VARIES + atom[0], *atom[1:]) for atom in varying))
        return cls(wider, replace(problem, init=init, goal=goal), common)

    def task(self, keep: frozenset[str] | None) -> Task | None:
        """The ground task, restricted to some objects; None if no start state can reach the goal.

        Raises:
            LimitError: the task is too large to ground.
        """
        task = ground(self.domain, self.problem, keep)
        if task is None:
            return None
        own = [not name.startswith(_FORGET) for name in task.action_names]
        return task.with_operators(np.flatnonzero(np.asarray(own, np.bool_)[task.operator_action]))


def _forgetting(domain: syntax.Domain, varying: frozenset[str]) -> syntax.Domain:
    """The domain with actions that forget varying atoms.

    What actions change can be forgotten whether it varies or not, so that there is one such domain, whose
    rules are compiled once, for most sets of states. Where no atom is marked, nothing is forgotten.
    """
    own = signatures(domain)
    changed = frozenset(p.name for p in domain.predicates if p.parameters) & (own.added | own.deleted)
    names = (changed - own.derived) | varying

    def widened() -> syntax.Domain:
        forgetful = [p for p in domain.predicates if p.name in names]
        actions = tuple(_forget(p) for p in forgetful)
        marks = tuple(syntax.Signature(_VARIES + p.name, p.parameters) for p in forgetful)
        return replace(domain, predicates=(*domain.predicates, *marks), actions=(*domain.actions, *actions))

    return _FORGETTING.of(domain, names, widened)


def _forget(predicate: syntax.Signature) -> syntax.Action:
    terms = tuple(p.name for p in predicate.parameters)
    return syntax.Action(
        _FORGET + predicate.name,
        predicate.parameters,
        syntax.Atom(_VARIES + predicate.name, terms) if terms else syntax.TRUE,
        syntax.DeleteEffect(syntax.Atom(predicate.name, terms)),
    )


def branches(task: Task) -> list[list[int]]:
    """Divide the goal into alternative lists of facts; what would make too many stays a disjunction.

    Returns:
        ``MOST_BRANCHES`` lists at most, each ascending.
    """
    bodies: dict[int, list[list[int]]] = {}
    for number, head in enumerate(task.axiom_head.tolist()):
        if task.fact_predicate[head] < 0:
            bodies.setdefault(head, []).append(task.axiom_body.of(number))
    found: list[set[int]] = [set(task.goal.tolist())]
    while True:
        open_facts = sorted(
            {fact for branch in found for fact in branch if fact in bodies}, key=lambda fact: (len(bodies[fact]), fact)
        )
        for fact in open_facts:
            expanded = []
            for branch in found:
                if fact in branch:
                    expanded += [(branch - {fact}) | set(body) for body in bodies[fact]]
                else:
                    expanded.append(branch)
            if len(expanded) <= MOST_BRANCHES:
                found = expanded
                break
        else:
            distinct = dict.fromkeys(tuple(sorted(branch)) for branch in found)
            return [list(branch) for branch in distinct]


@dataclass(frozen=True, slots=True, eq=False)
class Encoder:
    """States as facts of a task; what all of them share is encoded once.

    Attributes:
        task: The task.
        numbers: The fact of each ground atom that no axiom decides.
        common: The atoms that all states share.
        shared: Marks of these atoms' facts.
        negative: The facts that are complements of others.
    """

    task: Task
    numbers: Mapping[syntax.GroundAtom, int]
    common: syntax.State
    shared: NDArray[np.bool_]
    negative: Int64

    @classmethod
    def of(cls, task: Task, common: syntax.State) -> Encoder:
        """Prepare a task for states that share some atoms."""
        numbers = {
            atom: fact
            for fact in np.flatnonzero((task.fact_predicate >= 0) & ~task.derived).tolist()
            if (atom := task.atom(fact)) is not None
        }
        shared = np.zeros(task.fact_count, np.bool_)
        shared[[numbers[atom] for atom in common if atom in numbers]] = True
        negative = np.flatnonzero((task.complement >= 0) & (task.complement < np.arange(task.fact_count)))
        return cls(task, numbers, common, shared, negative)

    def bits(self, state: syntax.State) -> NDArray[np.bool_]:
        """Return marks of the facts that hold in a state, but for those that axioms decide."""
        bits = self.shared.copy() if state >= self.common else np.zeros_like(self.shared)
        others = state - self.common if state >= self.common else state
        bits[[self.numbers[atom] for atom in others if atom in self.numbers]] = True
        bits[self.negative] = ~bits[self.task.complement[self.negative]]
        return bits


@dataclass(frozen=True, slots=True, eq=False)
class SearchStart:
    """A ground task ready to be searched from any of the start states.

    Attributes:
        whole: The task with the goal as it is.
        branches: The task with one conjunctive alternative of the goal each.
        encoder: Turns states into facts.
        mask: The bits of a packed state that are of atoms and not derived.
    """

    whole: Prepared
    branches: tuple[Prepared, ...]
    encoder: Encoder
    mask: NDArray[np.uint64]

    @classmethod
    def of(cls, task: Task, common: syntax.State = frozenset()) -> SearchStart:
        """Prepare a task; ``common`` are the atoms that all start states share."""
        whole = prepare(task)
        goals = [np.asarray(branch, np.int32) for branch in branches(task)]
        conditions = (task.precondition.items, task.effect_condition.items, *goals)
        part = whole
        if len(task.axiom_head) and not any(task.derived[items].any() for items in conditions):
            part = prepare(task.without_axioms())
        prepared = tuple(replace(part, true=part.true._replace(goal=goal)) for goal in goals)
        mask = pack((task.fact_predicate >= 0) & ~task.derived)
        return cls(whole, prepared, Encoder.of(task, common), mask)

    def encode(self, state: syntax.State) -> NDArray[np.uint64]:
        """Pack a state, with its derived facts."""
        result = pack(self.encoder.bits(state))
        if self.whole.moves.strata:
            close(result, self.whole.moves)
        return result

    def key(self, state: NDArray[np.uint64]) -> bytes:
        """What of an encoded state matters: equal keys have equal costs-to-go."""
        return (state & self.mask).tobytes()
