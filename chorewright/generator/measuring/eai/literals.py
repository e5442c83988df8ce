"""Goals as literals: which ground literals make a goal true in a state."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from chorewright.domains.evaluation import holds, satisfying
from chorewright.domains.facts import Facts, Universe
from chorewright.domains.pddl.syntax import (
    And,
    AtLeast,
    Atom,
    Comparison,
    Equals,
    Exists,
    Forall,
    Formula,
    GroundAtom,
    Imply,
    Not,
    Or,
    State,
)
from chorewright.domains.rewriting import substitute
from chorewright.generator.measuring.eai.tasks import EaiTask
from chorewright.planner.validation import PlanWorld, simulate


@dataclass(frozen=True, slots=True, order=True)
class GoalLiteral:
    """A ground atom, with whether it holds."""

    atom: GroundAtom
    positive: bool = True

    def formula(self) -> Formula:
        """Return it as a formula."""
        atom = Atom(self.atom[0], self.atom[1:])
        return atom if self.positive else Not(atom)

    def __str__(self) -> str:
        text = f"{self.atom[0]}({', '.join(self.atom[1:])})"
        return text if self.positive else f"not {text}"


def goal_literals(task: EaiTask) -> tuple[GoalLiteral, ...]:
    """Return the literals that make a task's goal true where its plan ends, sorted."""
    world = PlanWorld.of(task.domain, task.problem)
    return ground(task.problem.goal, states(task)[-1], world.universe)


def states(task: EaiTask) -> tuple[State, ...]:
    """Return the states before, between and after the actions of a task's plan, derived atoms included."""
    first = PlanWorld.of(task.domain, task.problem).initial()
    return (first, *(each.state for each in simulate(task.domain, task.problem, task.plan)))


def ground(goal: Formula, state: State, universe: Universe) -> tuple[GoalLiteral, ...]:
    """Return ground literals that hold in a state and make a goal true there, few of them, sorted.

    Args:
        goal: A goal that holds.
        state: The state, derived atoms included.
        universe: The objects.
    """
    return tuple(sorted(_literals(goal, True, Facts(state), universe)))


def _literals(formula: Formula, positive: bool, facts: Facts, universe: Universe) -> frozenset[GoalLiteral]:
    """The literals that make a formula true, or false."""
    match formula:
        case Atom(predicate, terms):
            return frozenset([GoalLiteral((predicate, *terms), positive)])
        case Equals() | Comparison():
            return frozenset()
        case Not(operand):
            return _literals(operand, not positive, facts, universe)
        case Imply(antecedent, consequent):
            return _literals(Or((Not(antecedent), consequent)), positive, facts, universe)
        case And(operands) | Or(operands):
            if isinstance(formula, And) == positive:
                return frozenset[GoalLiteral]().union(
                    *(_literals(each, positive, facts, universe) for each in operands)
                )
            true = [each for each in operands if holds(each, facts, universe) == positive]
            ways = [_literals(each, positive, facts, universe) for each in true]
            return min(ways, key=lambda each: (len(each), sorted(each)))
        case Exists(variables, body) | Forall(variables, body):
            if isinstance(formula, Exists) == positive:
                asked = Exists(variables, body if positive else Not(body))
                binding = next(satisfying(asked, facts, universe))
                return _literals(substitute(body, binding), positive, facts, universe)
            every = satisfying(Exists(variables, And(())), facts, universe)
            parts = [_literals(substitute(body, dict(each)), positive, facts, universe) for each in every]
            return frozenset[GoalLiteral]().union(*parts)
        case AtLeast(count, variables, body):
            if positive:
                found = islice(satisfying(Exists(variables, body), facts, universe), count)
                parts = [_literals(substitute(body, dict(each)), True, facts, universe) for each in found]
            else:
                every = satisfying(Exists(variables, Not(body)), facts, universe)
                parts = [_literals(substitute(body, dict(each)), False, facts, universe) for each in every]
            return frozenset[GoalLiteral]().union(*parts)
