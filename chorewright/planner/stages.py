"""Long goals in stages: each stage adds conditions to those that are met already.

A goal of dozens of conditions is out of reach of one greedy search, yet easy a few conditions at a time, as
long as none of them stands in the way of a later one. What a stage has reached must hold at the end of the
next ones too, though not on the way. At last the whole plan is made cheaper with the objects that it touches.

Whoever knows no stages lets the goal be taken part by part: the next stage is what holds of it already, with the
objects that it holds for, and one part more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from chorewright.domains.evaluation import holds, satisfying
from chorewright.domains.facts import Universe
from chorewright.domains.formulas import Facts
from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.subformulas import conjuncts, subformulas
from chorewright.domains.rewriting import conjunction, substitute
from chorewright.files.stopping import Alarm
from chorewright.planner.grounding.goal_atoms import constants
from chorewright.planner.grounding.grounding import ground
from chorewright.planner.grounding.joins.derivation import NEVER
from chorewright.planner.grounding.normal_form import Normalizer
from chorewright.planner.grounding.numbering import NumberedProblem
from chorewright.planner.plan import NAME, UNLIMITED, Answer, GroundAction, Limit, Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.planning import DEFAULT, Configuration, solve
from chorewright.planner.search.anytime import Level, Report, silent
from chorewright.planner.search.improvement import improve
from chorewright.planner.search.search import Budget, prepare, state_limit
from chorewright.planner.validation import PlanWorld, depends_on_numbers, validate

EARLIER, WHOLE = 16, 2
"""How much less a stage's own plan is improved than a plan usually is, and how much more the whole is."""

BEFORE_PARTS, EACH = 33_000, 20_000
"""Evaluations before a goal with quantifiers is taken part by part, and for each part at most."""

MOST_BINDINGS = 2_000
"""Objects, or combinations of them, that are looked at for those that most of an ``exists`` holds for."""

LONGEST = 40
"""Steps of the longest whole plan whose improvement may grow with its length; most of it is in what is found early."""


def solve_in_stages(
    domain: syntax.Domain,
    problem: syntax.Problem,
    stages: Sequence[tuple[syntax.Formula, bool]],
    limits: Limits = UNLIMITED,
    configuration: Configuration = DEFAULT,
) -> Answer | None:
    """Return a plan for the conjunction of the stages; None if a stage led into a dead end.

    Args:
        domain: The domain.
        problem: The problem; its own goal is left aside.
        stages: What is to hold after each stage, and whether it must hold for good; what need not only helps
            the next stage along, and is left out if it cannot be had.
        limits: For each stage.
        configuration: How to search.
    """
    actions: list[GroundAction] = []
    evaluated = 0
    here = problem
    reached: tuple[syntax.Formula, ...] = ()
    touched: set[str] = set()
    roughly = replace(configuration, improve=configuration.improve // EARLIER, times=None)
    for number, (stage, lasting) in enumerate(stages):
        answer = solve(domain, replace(here, goal=conjunction((*reached, stage))), limits, roughly)
        if not isinstance(answer, Plan) and not lasting:
            continue
        if isinstance(answer, OutOfLimits):
            return answer
        if isinstance(answer, Unsolvable):
            return None if number else answer
        reached = (*reached, stage) if lasting else reached
        actions += answer.actions
        evaluated += answer.evaluated
        here = _after(domain, here, answer.actions, touched)
        facts = frozenset(here.init)
        reached = tuple(_settle(each, facts) for each in reached)
    whole = replace(problem, goal=conjunction(reached))
    effort = configuration.improving if len(stages) > 1 else 0
    return _whole_plan(domain, whole, actions, touched, effort, evaluated, f"{configuration}-stages{len(stages)}")


def solve_with_parts(
    domain: syntax.Domain,
    problem: syntax.Problem,
    limits: Limits = UNLIMITED,
    configuration: Configuration = DEFAULT,
    report: Report = silent,
    alarm: Alarm | None = None,
) -> Answer:
    """Solve a problem; a goal with quantifiers that takes many evaluations is taken part by part.

    Args:
        domain: The domain.
        problem: The problem.
        limits: As in ``solve``; each part has these evaluations once more, but ``EACH`` at most.
        configuration: How to search; only greedy search takes parts.
        report: As in ``solve``.
        alarm: As in ``solve``.

    Returns:
        What ``solve`` answers; but a plan that takes the parts one after the other where it would take longer.
    """
    quantified = any(
        isinstance(part, syntax.AtLeast | syntax.Exists | syntax.Forall) for part in subformulas(problem.goal)
    )
    if quantified and configuration.search == "greedy":
        answer = solve(domain, problem, replace(limits, searching=BEFORE_PARTS), configuration, report, alarm)
        if not isinstance(answer, OutOfLimits) or answer.limit is not Limit.EVALUATIONS:
            return answer
        each = replace(limits, evaluations=min(limits.evaluations or EACH, EACH))
        plan = solve_part_by_part(domain, problem, each, configuration, alarm)
        if plan is not None:
            report(plan)
            return plan
        if limits.evaluations is not None and limits.evaluations <= BEFORE_PARTS:
            return answer
    return solve(domain, problem, limits, configuration, report, alarm)


def solve_part_by_part(
    domain: syntax.Domain,
    problem: syntax.Problem,
    limits: Limits = UNLIMITED,
    configuration: Configuration = DEFAULT,
    alarm: Alarm | None = None,
) -> Plan | None:
    """Return a plan that meets one part of the goal after the other; None where a part cannot be had.

    Args:
        domain: The domain.
        problem: The problem.
        limits: For each part.
        configuration: How to search.
        alarm: The clock of all parts; one for each by default.
    """
    if depends_on_numbers(domain, problem):
        return None
    universe = Universe.of(domain, problem)
    roughly = replace(configuration, improve=configuration.improve // EARLIER, times=None)
    actions: list[GroundAction] = []
    evaluated = stages = 0
    here, touched = problem, set[str]()
    while True:
        parts = _GoalParts(Facts(PlanWorld.of(domain, here).initial()), universe)
        if parts.hold(problem.goal):
            break
        # What a part takes for good may be what a later one needs: then the rest is planned as a whole.
        stage = parts.next(problem.goal)
        answers = (
            solve(domain, replace(here, goal=goal), limits, roughly, alarm=alarm) for goal in (stage, problem.goal)
        )
        answer = next((each for each in answers if isinstance(each, Plan) and each.actions), None)
        if answer is None:
            return None
        actions += answer.actions
        evaluated += answer.evaluated
        stages += 1
        here = _after(domain, here, answer.actions, touched)
    effort = configuration.improving
    return _whole_plan(domain, problem, actions, touched, effort, evaluated, f"{configuration}-parts{stages}")


def _whole_plan(
    domain: syntax.Domain,
    problem: syntax.Problem,
    actions: list[GroundAction],
    touched: set[str],
    effort: int,
    evaluated: int,
    name: str,
) -> Plan:
    """Return the plan of all parts, or a cheaper one that touches no other objects.

    Args:
        domain: The domain.
        problem: The problem.
        actions: The parts' actions.
        touched: The objects that they depend on.
        effort: How many evaluations may go into making a usual plan cheaper.
        evaluated: The evaluations so far.
        name: The configuration's.
    """
    wanted = Normalizer(NumberedProblem.of(domain, problem).known).formula(problem.goal) if effort else None
    task = ground(domain, problem, frozenset(touched).union(constants(wanted))) if wanted else None
    level = None if task is None else Level(prepare(task), False)
    if task and level and (operators := level.operators(actions)) is not None:
        evaluations = effort * WHOLE * LONGEST // max(LONGEST, len(actions))
        found = improve(level.prepared, operators, Budget(evaluations, state_limit(None, task), NEVER))
        evaluated += found.evaluations
        better = [task.action(operator) for operator in found.operators or ()]
        actions = better if validate(domain, problem, better).valid else actions
    verdict = validate(domain, problem, actions)
    assert verdict.valid, verdict.message
    return Plan(tuple(actions), verdict.cost, NAME, name, False, evaluated)


def _settle(formula: syntax.Formula, facts: frozenset[syntax.GroundAtom]) -> syntax.Formula:
    """Return a condition that holds without the alternatives that were not taken."""
    if isinstance(formula, syntax.And):
        return conjunction(_settle(each, facts) for each in formula.operands)
    if isinstance(formula, syntax.Or):
        atoms = (each for each in formula.operands if isinstance(each, syntax.Atom))
        return next((each for each in atoms if (each.predicate, *each.terms) in facts), formula)
    return formula


@dataclass(frozen=True, slots=True)
class _GoalParts:
    """What holds of a goal in a state, and the part of it to be had next.

    Attributes:
        facts: The state, with what axioms derive.
        universe: The problem's objects.
    """

    facts: Facts
    universe: Universe

    def hold(self, formula: syntax.Formula) -> bool:
        """Return whether a formula holds."""
        return holds(formula, self.facts, self.universe)

    def next(self, formula: syntax.Formula) -> syntax.Formula:
        """Return a condition that holds but for one part, and is not far from all of the formula."""
        if self.hold(formula):
            return self._settle(formula)
        if isinstance(formula, syntax.And) or self._instances(formula) is not None:
            return self._next_of(conjuncts(formula))
        if isinstance(formula, syntax.Exists):
            most: tuple[int, syntax.Formula] = (0, formula)
            for binding in islice(self.universe.bindings(formula.variables), MOST_BINDINGS):
                body = substitute(formula.body, binding)
                most = max(most, (self._count(body), body), key=lambda each: each[0])
            return self.next(most[1]) if most[0] else replace(formula, body=_first(formula.body))
        if isinstance(formula, syntax.AtLeast) and len(formula.variables) == 1:
            [variable] = formula.variables
            found = islice(satisfying(formula, self.facts, self.universe), formula.count - 1)
            names = [binding[variable.name] for binding in found]
            kept = (self._settle(substitute(formula.body, {variable.name: name})) for name in names)
            other = conjunction((*(syntax.Not(syntax.Equals(variable.name, name)) for name in names), formula.body))
            return conjunction((*kept, syntax.Exists(formula.variables, other)))
        return formula

    def _next_of(self, operands: Sequence[syntax.Formula]) -> syntax.Formula:
        """What holds of several conditions, and one part more; all that they ask of one object is one part."""
        together: dict[str, list[syntax.Formula]] = {}
        single = []
        for operand in operands:
            instances = self._instances(operand)
            if instances is None:
                single.append(operand)
                continue
            for name, instance in instances.items():
                together.setdefault(name, []).append(instance)
        parts = [*single, *map(conjunction, together.values())]
        kept = [self._settle(part) for part in parts if self.hold(part)]
        missing = next(part for part in parts if not self.hold(part))
        return conjunction((*kept, self.next(missing) if missing in single else missing))

    def _instances(self, formula: syntax.Formula) -> Mapping[str, syntax.Formula] | None:
        """What a condition on all objects asks of each; None of another. ``not at-least`` spares the first ones."""
        if isinstance(formula, syntax.Forall) and len(formula.variables) == 1:
            return dict(self._each(formula.variables[0], formula.body))
        if (
            isinstance(formula, syntax.Not)
            and isinstance(formula.operand, syntax.AtLeast)
            and len(formula.operand.variables) == 1
        ):
            [variable] = formula.operand.variables
            spared = islice(satisfying(formula.operand, self.facts, self.universe), formula.operand.count - 1)
            names = {binding[variable.name] for binding in spared}
            each = self._each(variable, formula.operand.body)
            return {name: syntax.Not(body) for name, body in each if name not in names}
        return None

    def _each(self, variable: syntax.Typed, body: syntax.Formula) -> Iterator[tuple[str, syntax.Formula]]:
        for name in self.universe.members(variable.types):
            yield name, substitute(body, {variable.name: name})

    def _count(self, formula: syntax.Formula) -> int:
        """How many parts of a formula hold."""
        if isinstance(formula, syntax.And):
            return sum(map(self._count, formula.operands))
        if isinstance(formula, syntax.AtLeast):
            return sum(1 for _ in islice(satisfying(formula, self.facts, self.universe), formula.count))
        instances = self._instances(formula) if isinstance(formula, syntax.Forall) else None
        if instances is not None:
            return sum(map(self.hold, instances.values()))
        return int(self.hold(formula))

    def _settle(self, formula: syntax.Formula) -> syntax.Formula:
        """What holds of a formula, with the objects that it holds for."""
        if isinstance(formula, syntax.And):
            return conjunction(map(self._settle, formula.operands))
        if isinstance(formula, syntax.Or):
            return next((self._settle(each) for each in formula.operands if self.hold(each)), formula)
        if isinstance(formula, syntax.Forall) and (instances := self._instances(formula)) is not None:
            return conjunction(map(self._settle, instances.values()))
        if isinstance(formula, syntax.Exists | syntax.AtLeast):
            count = formula.count if isinstance(formula, syntax.AtLeast) else 1
            found = islice(satisfying(formula, self.facts, self.universe), count)
            return conjunction([self._settle(substitute(formula.body, binding)) for binding in found])
        return formula


def _first(formula: syntax.Formula) -> syntax.Formula:
    """A condition's first part."""
    if isinstance(formula, syntax.And):
        return _first(formula.operands[0]) if formula.operands else formula
    return replace(formula, count=1) if isinstance(formula, syntax.AtLeast) and formula.count else formula


def _after(
    domain: syntax.Domain, problem: syntax.Problem, actions: Sequence[GroundAction], touched: set[str]
) -> syntax.Problem:
    """Return the problem as it stands after some actions; ``touched`` collects the objects they depend on."""
    world = PlanWorld.of(domain, problem)
    facts = Facts(world.initial())
    for action in actions:
        touched.update(action.arguments)
        facts = world.advance(action, facts, touched)
    state = frozenset(facts.atoms)
    derived = {axiom.head.name for axiom in domain.axioms}
    kept = [atom for atom in problem.init if atom in state]
    new = sorted(atom for atom in state.difference(kept) if atom[0] not in derived)
    return replace(problem, init=(*kept, *new))
