"""All engines of unified-planning, behind our protocol; tasks and plans translated from either side to the other.

Both ways go through written PDDL: what one side writes, the other's checked reader reads. Names that
unified-planning or PDDL cannot hold are renamed by unified-planning's writer and named back by it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain

from unified_planning.engines.factory import DEFAULT_ENGINES
from unified_planning.engines.results import PlanGenerationResult, PlanGenerationResultStatus
from unified_planning.environment import Environment, get_environment
from unified_planning.exceptions import UPException
from unified_planning.io import PDDLReader, PDDLWriter
from unified_planning.model import FNode, InstantaneousAction
from unified_planning.model import Problem as UnifiedProblem
from unified_planning.model.metrics import MinimizeActionCosts
from unified_planning.plans import ActionInstance, SequentialPlan, TimeTriggeredPlan
from unified_planning.plans import Plan as UnifiedPlan

from chorewright.domains.facts import whole
from chorewright.domains.pddl import parse_domain, parse_problem, syntax, write_domain, write_problem
from chorewright.domains.pddl.plain import write_plain
from chorewright.domains.pddl.subformulas import subeffects, subformulas
from chorewright.errors import ChorewrightError, EngineError, MissingExtra, UnsupportedError, UsageError
from chorewright.files.english import article
from chorewright.files.stopping import Limit
from chorewright.planner.engines.processes import check_plan
from chorewright.planner.engines.unified_compiling import in_words, split_gains, with_preferences, writable
from chorewright.planner.plan import UNLIMITED, Answer, GroundAction, Limits, OutOfLimits, Plan, TimedStep, Unsolvable
from chorewright.planner.validation import is_plain

_NAME = re.compile(r"[a-z][a-z0-9_-]*\Z")
_UNKNOWN_REQUIREMENTS = frozenset([":derived-predicates", ":negation"])
_TIMED_VALUE = re.compile(r"\(assign (\([^()]*\)) ([^()\s]+)\)")
"""How its writer has values that change by themselves; PDDL has equations there."""


def to_unified(
    domain: syntax.Domain, problem: syntax.Problem, environment: Environment | None = None
) -> UnifiedProblem:
    """A task as a unified-planning problem.

    Args:
        domain: a checked domain.
        problem: a checked problem of it.
        environment: where the problem shall live; the global one by default.

    An action cost that the problem does not give is 0 there (here the action cannot be applied).

    Raises:
        UnsupportedError: unified-planning has no derived predicates, or refuses something else.
    """
    if domain.axioms:
        name = domain.axioms[0].head.name
        raise UnsupportedError(f"unified-planning has no derived predicates, but '{name}' is one")
    _refuse_types(domain, problem)
    _refuse_names(domain, problem)
    if (environment or get_environment()).error_used_name:
        _refuse_clashes(domain, problem)
    readable = _readable(domain, problem)
    timed = domain.durative_actions or not is_plain(domain, problem)
    texts = (write_domain(readable[0]), write_problem(readable[1])) if timed else write_plain(*readable)
    try:
        return PDDLReader(environment).parse_problem_string(*texts)
    except Exception as error:  # it raises whatever its parser, model or assertions raise
        reason = str(error).split("\n", 1)[0] or type(error).__name__
        raise UnsupportedError(f"unified-planning cannot take '{problem.name}': {reason}") from error


def _readable(domain: syntax.Domain, problem: syntax.Problem) -> tuple[syntax.Domain, syntax.Problem]:
    """The task with what unified-planning's reader wants in its header."""
    title = domain.name if _NAME.match(domain.name) else "domain"
    predicates = domain.predicates
    if any(thing.types == ("object",) for thing in (*problem.objects, *_yield_variables(domain, problem))):
        # It knows the type 'object' only where a declaration in the domain has it.
        unused = "anything"
        while any(predicate.name == unused for predicate in predicates):
            unused += "-"
        predicates = (*predicates, syntax.Signature(unused, (syntax.Typed("?x"),)))
    kept = tuple(r for r in domain.requirements if r not in _UNKNOWN_REQUIREMENTS)
    readable = replace(domain, name=title, requirements=kept, predicates=predicates)
    name = problem.name if _NAME.match(problem.name) else "problem"
    return readable, replace(problem, name=name, domain=title)


def _things(domain: syntax.Domain, problem: syntax.Problem) -> tuple[tuple[str, str], ...]:
    """All that has a name of its own: what it is, and the name."""
    return (
        *(("type", entry.name) for entry in domain.types),
        *(("predicate", entry.name) for entry in domain.predicates),
        *(("function", entry.name) for entry in domain.functions),
        *(("object", entry.name) for entry in (*domain.constants, *problem.objects)),
        *(("action", entry.name) for entry in domain.actions),
        *(("action", entry.name) for entry in domain.durative_actions),
    )


def _yield_variables(domain: syntax.Domain, problem: syntax.Problem) -> Iterator[syntax.Typed]:
    """The variables of quantifiers."""
    effects = [part for action in domain.actions for part in subeffects(action.effect)]
    conditions = [problem.goal, *(action.precondition for action in domain.actions)]
    conditions += [part.condition for part in effects if isinstance(part, syntax.WhenEffect)]
    for part in (*effects, *chain.from_iterable(map(subformulas, conditions))):
        if isinstance(part, syntax.ForallEffect | syntax.Forall | syntax.Exists | syntax.AtLeast):
            yield from part.variables


def _refuse_types(domain: syntax.Domain, problem: syntax.Problem) -> None:
    """Raise UnsupportedError where something is of several types, or lies below several."""
    lists = [signature.parameters for signature in (*domain.predicates, *domain.functions)]
    lists += [action.parameters for action in domain.actions]
    things = (*domain.types, *domain.constants, *problem.objects, *chain.from_iterable(lists))
    for thing in (*things, *_yield_variables(domain, problem)):
        if len(thing.types) > 1:
            kinds = " and ".join(f"'{kind}'" for kind in thing.types)
            raise UnsupportedError(f"unified-planning knows one type each, but '{thing.name}' has {kinds}")


def _refuse_names(domain: syntax.Domain, problem: syntax.Problem) -> None:
    """Raise UnsupportedError if a name begins or goes on as unified-planning's reader does not expect it."""
    for kind, name in _things(domain, problem):
        if not _NAME.match(name):
            message = f"unified-planning cannot have {article(kind)} {kind} named '{name}'"
            raise UnsupportedError(message, hint="names there are letters, then letters, digits, '_' and '-'")


def _refuse_clashes(domain: syntax.Domain, problem: syntax.Problem) -> None:
    """Raise UnsupportedError if two things of different kinds share a name."""
    kinds: dict[str, str] = {}
    for kind, name in _things(domain, problem):
        if kinds.setdefault(name, kind) != kind:
            message = f"unified-planning cannot have two things named '{name}': {kinds[name]} and {kind}"
            hint = "rename one, or set the environment's error_used_name to False"
            raise UnsupportedError(message, hint=hint)


def from_unified_plan(plan: UnifiedPlan) -> tuple[GroundAction | TimedStep, ...]:
    """The actions of a plan for a problem that ``to_unified`` made, with times where it has some.

    Raises:
        UnsupportedError: It is neither a sequence nor a plan with times.
    """

    def action(step: ActionInstance) -> GroundAction:
        return GroundAction(step.action.name.lower(), tuple(p.object().name.lower() for p in step.actual_parameters))

    return _steps_of(plan, action)


def _steps_of(
    plan: UnifiedPlan, action: Callable[[ActionInstance], GroundAction]
) -> tuple[GroundAction | TimedStep, ...]:
    if isinstance(plan, SequentialPlan):
        return tuple(map(action, plan.actions))
    if not isinstance(plan, TimeTriggeredPlan):
        raise UnsupportedError(f"a {type(plan).__name__} is no sequence, and has no times")
    timed = (
        TimedStep(whole(start), action(step), None if duration is None else whole(duration))
        for start, step, duration in plan.timed_actions
    )
    return tuple(sorted(timed, key=lambda step: step.time))


@dataclass(frozen=True, slots=True)
class Translation:
    """A unified-planning problem as our domain and problem, with the names that were given on the way.

    ``target`` is the problem that was written: its actions and objects are named like those of ``source``.
    """

    source: UnifiedProblem
    target: UnifiedProblem
    writer: PDDLWriter
    domain: syntax.Domain
    problem: syntax.Problem

    def plan_back(self, plan: Plan) -> UnifiedPlan:
        """Our plan as one for the unified-planning problem."""
        if not plan.schedule:
            return SequentialPlan([self._instance(step) for step in plan.actions], self.source.environment)
        timed = [
            (Fraction(step.time), self._instance(step.action), step.duration and Fraction(step.duration))
            for step in plan.schedule
        ]
        return TimeTriggeredPlan(timed, self.source.environment)

    def _instance(self, step: GroundAction) -> ActionInstance:
        expressions = self.source.environment.expression_manager
        objects = (self.source.object(self.writer.get_item_named(name).name) for name in step.arguments)
        arguments = tuple(expressions.ObjectExp(thing) for thing in objects)
        return ActionInstance(self.source.action(self.writer.get_item_named(step.name).name), arguments)

    def steps_of(self, plan: UnifiedPlan) -> tuple[GroundAction | TimedStep, ...]:
        """A plan for the unified-planning problem as our actions, with times where it has some.

        Raises:
            UnsupportedError: It is neither a sequence nor a plan with times.
            UPException: it has an action or object that the problem has not.
        """

        def action(step: ActionInstance) -> GroundAction:
            objects = (self.target.object(p.object().name) for p in step.actual_parameters)
            return GroundAction(
                self.writer.get_pddl_name(self.target.action(step.action.name)),
                tuple(self.writer.get_pddl_name(each) for each in objects),
            )

        return _steps_of(plan, action)


def from_unified(problem: UnifiedProblem) -> Translation:
    """A unified-planning problem in our syntax tree.

    Raises:
        UnsupportedError: it uses what our PDDL cannot say.
    """
    if not isinstance(problem, UnifiedProblem):  # unified-planning has other classes, too
        raise UnsupportedError(f"a {type(problem).__name__} is no problem of actions and a goal")
    try:
        target, gains = split_gains(problem)
        target = _price(_without_constants(writable(target)))
    except UPException as error:
        raise _unwritable(problem, error) from error
    writer = PDDLWriter(target, rewrite_bool_assignments=True)
    try:
        domain_text, problem_text = writer.get_domain(), writer.get_problem()
        preferred = in_words([goal for goal, _ in gains], writer, target.environment)
    except (UPException, NotImplementedError, AssertionError, KeyError) as error:  # whatever the writer raises
        raise _unwritable(problem, error) from error
    domain_text = _with_effects(domain_text, target, writer)
    domain_text = domain_text.replace(":timed-initial-effects", ":timed-initial-literals")
    problem_text = with_preferences(problem_text, preferred, [gain for _, gain in gains])
    problem_text = _TIMED_VALUE.sub(r"(= \1 \2)", problem_text)
    try:
        domain = parse_domain(domain_text)
        return Translation(problem, target, writer, domain, parse_problem(problem_text, domain))
    except ChorewrightError as error:
        message = f"'{problem.name}' is beyond the language: {error.message}"
        raise UnsupportedError(message, hint=error.hint) from error


def _unwritable(problem: UnifiedProblem, error: Exception) -> UnsupportedError:
    """The error of a problem that unified-planning's compilers or writer refuse."""
    reason = str(error).split("\n", 1)[0] or type(error).__name__
    return UnsupportedError(f"'{problem.name}' cannot be written as PDDL: {reason}")


def _without_constants(problem: UnifiedProblem) -> UnifiedProblem:
    """The problem without conditions that are always false, which its writer does not take."""
    if not all(isinstance(action, InstantaneousAction) for action in problem.actions):
        return problem
    conditions = [*problem.goals, *(p for action in problem.actions for p in action.preconditions)]
    conditions += [e.condition for action in problem.actions for e in action.effects if e.is_conditional()]
    if not any(_has_constant(condition) or condition.simplify().is_false() for condition in conditions):
        return problem
    simple = problem.clone()
    name = "never"
    while simple.has_name(name):
        name += "_"
    never = simple.add_fluent(name, default_initial_value=False)()

    def said(condition: FNode) -> FNode:
        known = condition.simplify()
        return never if known.is_false() else known

    goals = list(simple.goals)
    simple.clear_goals()
    for goal in goals:
        simple.add_goal(said(goal))
    for action in simple.actions:
        preconditions, effects = list(action.preconditions), list(action.effects)
        action.clear_preconditions()
        action.clear_effects()
        for condition in preconditions:
            action.add_precondition(said(condition))
        for effect in effects:
            effect.set_condition(said(effect.condition))
            action._add_effect_instance(effect)
    return simple


def _has_constant(condition: FNode) -> bool:
    return condition.is_bool_constant() or any(map(_has_constant, condition.args))


def _price(problem: UnifiedProblem) -> UnifiedProblem:
    """The problem with a cost of 0 for actions without one: its compilers leave such, its writer fails."""
    metrics = [m for m in problem.quality_metrics if isinstance(m, MinimizeActionCosts)]
    if all(m.get_action_cost(a) is not None for m in metrics for a in problem.actions):
        return problem
    priced = problem.clone()
    nothing = problem.environment.expression_manager.Int(0)
    priced.clear_quality_metrics()
    for metric in problem.quality_metrics:
        if metric in metrics:
            costs = {a.name: metric.get_action_cost(a) or nothing for a in problem.actions}
            metric = MinimizeActionCosts({priced.action(name): cost for name, cost in costs.items()})
        priced.add_quality_metric(metric)
    return priced


def _with_effects(text: str, problem: UnifiedProblem, writer: PDDLWriter) -> str:
    """The written domain with an empty effect for each action without effects, which the writer omits."""
    for action in problem.actions:
        if not action.effects:
            head = f"(:action {writer.get_pddl_name(action)}\n"
            text = text.replace(head, f"{head}  :effect (and)\n")
    return text


# Any engine of unified-planning as an engine of ours, by its name there.


@dataclass(frozen=True, slots=True)
class UnifiedPlanner:
    """An engine of unified-planning's global environment, by name, behind the ``Planner`` protocol.

    Raises:
        UsageError: there is no such engine.
        MissingExtra: unified-planning knows it, but its package is not installed.
    """

    name: str
    others: tuple[str, ...] = ()
    """Names that are not unified-planning's, for the hint of an unknown one."""

    def __post_init__(self) -> None:
        factory = get_environment().factory
        if self.name in factory.engines:
            if not factory.engine(self.name).is_oneshot_planner():
                raise UsageError(f"'{self.name}' is an engine of unified-planning, but not a planner")
            return
        if self.name in DEFAULT_ENGINES:
            package = DEFAULT_ENGINES[self.name][0].split(".")[0].replace("_", "-")
            raise MissingExtra(f"the engine '{self.name}' is not installed", hint=f"pip install {package}")
        planners = [n for n in factory.engines if factory.engine(n).is_oneshot_planner() and "[" not in n]
        known = dict.fromkeys([*self.others, *planners])
        raise UsageError(f"unknown engine '{self.name}'", hint=f"one of {', '.join(known)}")

    def solve(self, domain: syntax.Domain, problem: syntax.Problem, limits: Limits = UNLIMITED) -> Answer:
        """Return a plan that the validator accepts, or why there is none.

        The time limit is handed to the engine, which may not heed it.

        Raises:
            UnsupportedError: unified-planning or the engine does not take the problem.
            EngineError: the engine failed, or its plan is not valid.
        """
        if limits.evaluations is not None or limits.megabytes is not None:
            message = f"'{self.name}' can only be limited by time"
            raise UsageError(message, hint="unified-planning has no other limits")
        theirs = to_unified(domain, problem)
        environment = get_environment()
        stream, environment.credits_stream = environment.credits_stream, None
        try:
            result = self._ask(environment, theirs, limits.seconds)
        finally:
            environment.credits_stream = stream
        status, found = result.status, PlanGenerationResultStatus
        if result.plan is not None:
            return check_plan(domain, problem, from_unified_plan(result.plan), self.name, "unified-planning")
        if status == found.UNSOLVABLE_PROVEN:
            return Unsolvable(f"'{self.name}' proves that there is no plan")
        if status == found.TIMEOUT:
            return OutOfLimits(Limit.TIME, 0)
        if status == found.MEMOUT:
            return OutOfLimits(Limit.MEMORY, 0)
        if status == found.UNSOLVABLE_INCOMPLETELY:
            return OutOfLimits(Limit.EVALUATIONS, 0)
        reasons = "; ".join(entry.message.strip() for entry in result.log_messages or ()) or status.name
        kind = UnsupportedError if status == found.UNSUPPORTED_PROBLEM else EngineError
        raise kind(f"'{self.name}' failed: {reasons}")

    def _ask(self, environment: Environment, problem: UnifiedProblem, seconds: float | None) -> PlanGenerationResult:
        with environment.factory.OneshotPlanner(name=self.name) as engine:
            if not engine.supports(problem.kind):
                missing = sorted(problem.kind.features - engine.supported_kind().features)
                raise UnsupportedError(f"'{self.name}' does not support {', '.join(missing) or 'this problem'}")
            try:
                return engine.solve(problem, timeout=seconds)
            except Exception as error:  # an engine may raise anything
                raise EngineError(f"'{self.name}' failed: {type(error).__name__}: {error}") from error
