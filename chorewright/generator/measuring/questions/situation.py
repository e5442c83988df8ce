"""A problem with its plan, made ready for questions: actions, states on the way, all reachable states where few."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import combinations
from operator import and_

import numpy as np

from chorewright.domains.arithmetic import constant_values
from chorewright.domains.facts import number_of
from chorewright.domains.formulas import Facts, conjunction, conjuncts, holds
from chorewright.domains.pddl import syntax
from chorewright.domains.phrases import Wordings
from chorewright.domains.rewriting import avoiding, never_derived, without_derived
from chorewright.errors import UnsupportedError
from chorewright.generator.measuring.questions.rules import things_of
from chorewright.planner.equivalence.state_space import StateSpace, list_states, plain_state, reachable_states
from chorewright.planner.numeric.grounding import ground_numeric
from chorewright.planner.numeric.relaxation import companions, is_landmark
from chorewright.planner.numeric.solving import Successors
from chorewright.planner.numeric.task import NumericTask, Operator
from chorewright.planner.numeric.task import State as PackedState
from chorewright.planner.plan import GroundAction, Limits, Plan, Unsolvable
from chorewright.planner.planning import DEFAULT, OPTIMAL, solve
from chorewright.planner.progression import states_along
from chorewright.planner.validation import PlanWorld
from chorewright.rsa.words.verbaliser import Verbaliser

FAR = 1 << 30
"""The distance of a state from which the goal cannot be reached."""

PROOF = 5_000
"""What the planner may evaluate to prove that a plan is a shortest one."""

WALKS = 6
"""About so many walks are made from the states of a plan."""

WALK = 30
"""The steps of a walk."""

_GO_ON = np.zeros(1, np.int64)
"""The flag of a grounding that nobody stops."""


@dataclass(frozen=True)
class Situation:
    """A problem and a plan for it.

    Attributes:
        domain: The domain, without durative actions.
        problem: The problem.
        plan: A valid plan.
        wordings: How the domain's author words it; None for guesses.
        most_states: The most reachable states that are listed.
        evaluations: What the planner may evaluate for an answer, where states are more; 0 if it is not asked.
        shortest: Whether the plan is proven to have the fewest steps.
        asks: Says of a state on the way of the plan whether it may be asked about.
    """

    domain: syntax.Domain
    problem: syntax.Problem
    plan: tuple[GroundAction, ...]
    wordings: Wordings | None = None
    most_states: int = 3_000
    evaluations: int = 5_000
    shortest: bool = False
    asks: Callable[[syntax.State], bool] | None = None

    @cached_property
    def world(self) -> PlanWorld:
        return PlanWorld.of(self.domain, self.problem)

    @cached_property
    def constants(self) -> tuple[syntax.GroundAtom, ...]:
        """The values that no state holds, and by which actions are possible or not."""
        return constant_values(self.domain, self.problem)

    @cached_property
    def says(self) -> Verbaliser:
        return Verbaliser.of(self.domain, self.problem.objects, self.wordings)

    @cached_property
    def things(self) -> tuple[str, ...]:
        """Sentences on what there is of each type, where neither names nor facts tell things of two types apart."""
        every = (*self.domain.constants, *self.problem.objects)
        asked = {each.name: [one.types for one in each.parameters] for each in self.domain.predicates}
        told = {pair for name, *terms in self.problem.init for pair in zip(terms, asked[name], strict=True)}
        plain = [each for each in every if each.types[0][:3] == each.name[:3] or (each.name, each.types) in told]
        doubtful = {each.types for each in every if each not in plain}
        return tuple(things_of(self.says, every)) if len(doubtful) > 1 else ()

    @cached_property
    def task(self) -> NumericTask | None:
        """The ground task, whose states are those of the world; None with derived predicates."""
        if self.domain.axioms:
            return None
        kept = [each.name for each in self.domain.functions] if self.world.numeric else []
        task = ground_numeric(self.domain, self.problem, _GO_ON, kept)
        if task is None or self.world.numeric:
            return task
        priced = tuple(each for each in task.operators if self.world.cost(each.action) is not None)
        return replace(task, operators=priced)

    @cached_property
    def actions(self) -> tuple[GroundAction, ...]:
        """The ground actions that are possible when nothing is deleted and what is derived always holds."""
        task = self.task or ground_numeric(
            without_derived(self.domain), replace(self.problem, goal=syntax.TRUE), _GO_ON
        )
        return () if task is None else tuple(operator.action for operator in task.operators)

    @cached_property
    def states(self) -> tuple[syntax.State, ...]:
        """The states before, between and after the steps of the plan."""
        return self.run(self.plan)

    @cached_property
    def asked(self) -> tuple[syntax.State, ...]:
        """The states of the plan that may be asked about."""
        return self.states if self.asks is None else tuple(filter(self.asks, self.states))

    @cached_property
    def space(self) -> StateSpace | None:
        """All reachable states, if they are few."""
        with Limits().alarm() as alarm:
            if self.task is None:
                return reachable_states(self.domain, self.problem, self.most_states, alarm)
            return list_states(self.task, self.problem, self.most_states, alarm)

    @cached_property
    def sample(self) -> tuple[syntax.State, ...]:
        """Reachable states: those of the plan, and of walks that begin at them; all, with derived predicates."""
        if self.task is None:
            return self.states if self.space is None else self.space.states
        successors, rng = Successors(self.task), np.random.default_rng(0)
        base = frozenset(self.problem.init).difference(self.task.atoms)
        walked: dict[PackedState, None] = {}
        for state in self.states[:: max(1, len(self.states) // WALKS)]:
            packed = self._pack(state)
            for _ in range(WALK):
                after = [each for _, each in successors.of(packed)]
                if not after:
                    break
                packed = after[int(rng.integers(len(after)))]
                walked[packed] = None
        return tuple(dict.fromkeys((*self.states, *(plain_state(each, self.task, base) for each in walked))))

    @cached_property
    def atoms(self) -> tuple[syntax.GroundAtom, ...]:
        """The atoms that actions can change, in the order of their names."""
        changed = {
            atom[0] for before, after in zip(self.states, self.states[1:], strict=False) for atom in before ^ after
        }
        known = {atom for state in self.sample for atom in state}
        return tuple(sorted(atom for atom in known if atom[0] in changed and atom[0] != "="))

    def run(self, plan: Sequence[GroundAction]) -> tuple[syntax.State, ...]:
        """Return the states of a plan up to its first step that cannot be run."""
        return states_along(self.domain, self.problem, plan)

    def possible(self, state: syntax.State) -> tuple[GroundAction, ...]:
        """Return the actions that can be run in a state, in their order."""
        if self.task is None:
            facts = Facts(state)
            return tuple(step for step in self.actions if self.world.refusal(step, facts) is None)
        packed, task = self._pack(state), self.task
        return tuple(
            each.action
            for each in task.operators
            if task.holds(each.condition, packed) and task.successor(each, packed) is not None
        )

    def steps_run(self, plan: Sequence[GroundAction]) -> tuple[int, bool]:
        """Return how many steps of a plan can be run, and whether the goal holds after them."""
        if self.task is None:
            states = self.run(plan)
            return len(states) - 1, self.meets(states[-1])
        state = self.task.initial
        for number, step in enumerate(plan):
            operator = self._operators.get(step)
            if operator is None or not self.task.holds(operator.condition, state):
                return number, self.task.holds(self.task.goal, state)
            after = self.task.successor(operator, state)
            if after is None:
                return number, self.task.holds(self.task.goal, state)
            state = after
        return len(plan), self.task.holds(self.task.goal, state)

    def works(self, plan: Sequence[GroundAction]) -> bool:
        """Whether all of a plan can be run and leads to the goal."""
        return self.steps_run(plan) == (len(plan), True)

    @cached_property
    def _operators(self) -> dict[GroundAction, Operator]:
        assert self.task is not None
        return {each.action: each for each in self.task.operators}

    @cached_property
    def _places(self) -> dict[syntax.GroundAtom, int]:
        assert self.task is not None
        return {atom: bit for bit, atom in enumerate(self.task.atoms)}

    def _pack(self, state: syntax.State) -> PackedState:
        """Return a state as the ground task has it."""
        assert self.task is not None
        bits = sum(1 << self._places[atom] for atom in state if atom in self._places)
        values = {atom[1:-1]: number_of(atom[-1]) for atom in state if atom[0] == "="}
        return bits, tuple(values.get(fluent) for fluent in self.task.fluents)

    def meets(self, state: syntax.State, goal: syntax.Formula | None = None) -> bool:
        """Whether the goal (or another formula) holds in a state."""
        return holds(self.problem.goal if goal is None else goal, state, self.world.universe)

    def distances(self, goal: syntax.Formula) -> list[int] | None:
        """Return the fewest steps from each reachable state to a goal; None if the states are too many."""
        if self.space is None:
            return None
        if goal in self._distances:
            return self._distances[goal]
        found = self._distances[goal] = [FAR] * len(self.space.states)
        queue = deque(self._meeting(goal))
        for number in queue:
            found[number] = 0
        while queue:
            number = queue.popleft()
            far = found[number] + 1
            for other in self._before[number]:
                if found[other] == FAR:
                    found[other] = far
                    queue.append(other)
        return found

    @cached_property
    def _distances(self) -> dict[syntax.Formula, list[int]]:
        return {}

    @cached_property
    def _needed(self) -> dict[syntax.GroundAtom, bool | None]:
        return {}

    @cached_property
    def _before(self) -> list[list[int]]:
        """The reachable states from which a step leads to each."""
        assert self.space is not None
        before: list[list[int]] = [[] for _ in self.space.states]
        for number, steps in enumerate(self.space.steps):
            for _, after in steps:
                before[after].append(number)
        return before

    def _meeting(self, goal: syntax.Formula) -> list[int]:
        """Return the reachable states in which a goal holds."""
        assert self.space is not None
        parts = conjuncts(goal)
        wanted = frozenset((part.predicate, *part.terms) for part in parts if isinstance(part, syntax.Atom))
        if len(wanted) == len(parts):
            return [number for number, state in enumerate(self.space.states) if wanted <= state]
        return [number for number, state in enumerate(self.space.states) if self.meets(state, goal)]

    def fewest_steps(self) -> int | None:
        """Return the fewest steps of any plan; None if that cannot be said within limits."""
        if self.shortest:
            return len(self.plan)
        if not self.world.numeric:
            answer = solve(self.domain, self._find_unpriced(), Limits(evaluations=PROOF), OPTIMAL)
            if isinstance(answer, Plan) and answer.optimal:
                return len(answer.actions)
        distances = self.distances(self.problem.goal)
        return None if distances is None else distances[0]

    def together(self, atoms: Collection[syntax.GroundAtom]) -> bool | None:
        """Whether atoms, each of which can hold, can hold together; None if no state and no proof is at hand."""
        if reduce(and_, [self._holding.get(atom, 0) for atom in atoms]):
            return True
        if self.task is None:
            return None if self.space is None else False
        places = [self._places[atom] for atom in atoms if atom in self._places]
        return None if all(self._companions[one] >> other & 1 for one, other in combinations(places, 2)) else False

    def reachable(self, atoms: Collection[syntax.GroundAtom]) -> bool | None:
        """Whether atoms can hold together in a reachable state; None if that cannot be said within limits."""
        found = self.together(atoms)
        if found is not None:
            return found
        if self.space is not None:
            wanted = frozenset(atoms)
            return any(wanted <= state for state in self.space.states)
        goal = conjunction([syntax.Atom(atom[0], atom[1:]) for atom in sorted(atoms)])
        return self._decide(self.domain, replace(self._find_unpriced(), goal=goal))

    @cached_property
    def _companions(self) -> list[int]:
        assert self.task is not None
        return companions(self.task)

    @cached_property
    def _holding(self) -> dict[syntax.GroundAtom, int]:
        """The states that were seen in which an atom holds, as bits."""
        found: dict[syntax.GroundAtom, int] = {}
        for number, state in enumerate(self.sample):
            for atom in state:
                found[atom] = found.get(atom, 0) | 1 << number
        return found

    @cached_property
    def _goal_states(self) -> frozenset[int]:
        return frozenset(self._meeting(self.problem.goal))

    def needed(self, atom: syntax.GroundAtom) -> bool | None:
        """Whether an atom that is false at the start holds at some time in every plan for the goal; None as above."""
        if atom not in self._needed:
            self._needed[atom] = self._find_needed(atom)
        return self._needed[atom]

    def _find_needed(self, atom: syntax.GroundAtom) -> bool | None:
        if all(atom not in state for state in self.states):
            return False
        if self.task is not None and atom in self._places and is_landmark(self.task, self._places[atom]):
            return True
        if self.space is not None:
            return not self._reaches_without(self.space, atom)
        derived = any(axiom.head.name == atom[0] for axiom in self.domain.axioms)
        avoid = never_derived if derived else avoiding
        domain, problem = avoid(self.domain, self._find_unpriced(), atom)
        avoidable = self._decide(domain, problem)
        return None if avoidable is None else not avoidable

    def _reaches_without(self, space: StateSpace, atom: syntax.GroundAtom) -> bool:
        seen, waiting = {0}, [0]
        while waiting:
            number = waiting.pop()
            if number in self._goal_states:
                return True
            for _, after in space.steps[number]:
                if after not in seen and atom not in space.states[after]:
                    seen.add(after)
                    waiting.append(after)
        return False

    def _decide(self, domain: syntax.Domain, problem: syntax.Problem) -> bool | None:
        if not self.evaluations:
            return None
        answer = solve(domain, problem, Limits(evaluations=self.evaluations), DEFAULT)
        return None if not isinstance(answer, Plan | Unsolvable) else isinstance(answer, Plan)

    def _find_unpriced(self) -> syntax.Problem:
        return replace(self.problem, minimize_cost=False, metric=None)


def situation_of(
    domain: syntax.Domain, problem: syntax.Problem, plan: Sequence[GroundAction], wordings: Wordings | None
) -> Situation:
    """Return the situation of a problem.

    Raises:
        UnsupportedError: The domain has durative actions.
    """
    if domain.durative_actions:
        message = f"questions about domains with durative actions are not supported: {domain.name}"
        raise UnsupportedError(message, hint="descriptions of its problems can be exported: --format descriptions")
    return Situation(domain, problem, tuple(plan), wordings)


# A question: what is told, what is asked, which answers there are, and which is right.


YES_NO = ("yes", "no")


@dataclass(frozen=True, slots=True)
class ProblemQuestion:
    """One question about a problem.

    Attributes:
        kind: What it is about, one of ``making.KINDS``.
        told: What is known, in English.
        asked: The question, in English.
        options: The answers to choose from.
        answer: The right one.
        formal: The same as plain data: atoms as lists of words, steps and plans as PDDL text.
    """

    kind: str
    told: str
    asked: str
    options: tuple[str, ...]
    answer: str
    formal: Mapping[str, object] = field(default_factory=dict)
