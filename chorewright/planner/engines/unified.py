"""chorewright as an engine of unified-planning: its planner, one-shot and anytime, and its validator.

Importing this module registers the engine in unified-planning's global environment, so that
``OneshotPlanner(name="chorewright")`` and ``PlanValidator(name="chorewright")`` find it. For another
environment call ``register(environment)``; without importing us, call ``add_engine("chorewright",
"chorewright.planner.engines.unified", "ChorewrightEngine")`` of ``get_environment().factory``, or list
those names in a ``up.ini``.
"""

from __future__ import annotations

import queue
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import IO

from unified_planning.engines import Credits, Engine, results
from unified_planning.engines.mixins import AnytimePlannerMixin, OneshotPlannerMixin
from unified_planning.engines.mixins import PlanValidatorMixin as Validator
from unified_planning.engines.mixins.anytime_planner import AnytimeGuarantee
from unified_planning.engines.mixins.oneshot_planner import OptimalityGuarantee
from unified_planning.environment import Environment, get_environment
from unified_planning.exceptions import UPException, UPUsageError
from unified_planning.model import Problem as UnifiedProblem
from unified_planning.model import ProblemKind
from unified_planning.model.problem_kind_versioning import LATEST_PROBLEM_KIND_VERSION
from unified_planning.model.state import State as UnifiedState
from unified_planning.plans import ActionInstance, PlanKind, SequentialPlan, TimeTriggeredPlan
from unified_planning.plans import Plan as UnifiedPlan

from chorewright import __version__
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import ChorewrightError, UnsupportedError, UsageError
from chorewright.files.english import did_you_mean
from chorewright.planner.durative_validation import validate_plan
from chorewright.planner.engines.lookup import find_engine
from chorewright.planner.engines.processes import file_of
from chorewright.planner.engines.unified_planning import Translation, from_unified
from chorewright.planner.plan import NAME, Answer, Limit, Limits, OutOfLimits, Unsolvable
from chorewright.planner.planning import solve
from chorewright.planner.search.configuration import Configuration
from chorewright.planner.validation import Reason

# Anytime search as a sequence of plans: each as soon as it is found, until the caller has enough.


def better_plans(
    domain: Domain, problem: Problem, limits: Limits, configuration: Configuration
) -> Iterator[tuple[Answer, bool]]:
    """Yield each better plan, and at last the answer, which is marked as the last.

    The search runs in a thread, and is stopped when the iterator is closed.

    Args:
        domain: The domain.
        problem: The problem.
        limits: Seconds, megabytes and evaluations.
        configuration: How to search.

    Yields:
        A plan or the answer, and whether it is the last.

    Raises:
        LimitError: the problem is too large to ground, and there is no memory limit.
    """
    alarm = limits.alarm()
    heard: queue.SimpleQueue[tuple[Answer, bool] | Exception] = queue.SimpleQueue()

    def search() -> None:
        try:
            answer = solve(domain, problem, limits, configuration, lambda plan: heard.put((plan, False)), alarm)
            heard.put((answer, True))
        except Exception as error:  # raised again where the plans are waited for
            heard.put(error)

    thread = threading.Thread(target=search, daemon=True)
    thread.start()
    try:
        last = False
        while not last:
            found = heard.get()
            if isinstance(found, Exception):
                raise found
            yield found
            last = found[1]
    finally:
        alarm.flag[0] = 1
        thread.join()


_FEATURES = {
    "problem_class": "ACTION_BASED",
    "problem_type": "SIMPLE_NUMERIC_PLANNING GENERAL_NUMERIC_PLANNING",
    "typing": "FLAT_TYPING HIERARCHICAL_TYPING",
    "time": "CONTINUOUS_TIME DISCRETE_TIME TIMED_EFFECTS DURATION_INEQUALITIES",
    "expression_duration": "STATIC_FLUENTS_IN_DURATIONS FLUENTS_IN_DURATIONS INT_TYPE_DURATIONS REAL_TYPE_DURATIONS",
    "parameters": "BOOL_FLUENT_PARAMETERS BOUNDED_INT_FLUENT_PARAMETERS",
    "conditions_kind": "NEGATIVE_CONDITIONS DISJUNCTIVE_CONDITIONS EQUALITIES EXISTENTIAL_CONDITIONS "
    "UNIVERSAL_CONDITIONS",
    "effects_kind": "CONDITIONAL_EFFECTS FORALL_EFFECTS INCREASE_EFFECTS DECREASE_EFFECTS "
    "STATIC_FLUENTS_IN_BOOLEAN_ASSIGNMENTS FLUENTS_IN_BOOLEAN_ASSIGNMENTS STATIC_FLUENTS_IN_NUMERIC_ASSIGNMENTS "
    "FLUENTS_IN_NUMERIC_ASSIGNMENTS STATIC_FLUENTS_IN_OBJECT_ASSIGNMENTS FLUENTS_IN_OBJECT_ASSIGNMENTS",
    "fluents_type": "INT_FLUENTS REAL_FLUENTS OBJECT_FLUENTS",
    "numbers": "BOUNDED_TYPES",
    "constraints_kind": "STATE_INVARIANTS TRAJECTORY_CONSTRAINTS",
    "initial_state": "UNDEFINED_INITIAL_NUMERIC UNDEFINED_INITIAL_SYMBOLIC",
    "quality_metrics": "ACTIONS_COST PLAN_LENGTH FINAL_VALUE MAKESPAN OVERSUBSCRIPTION",
    "oversubscription_kind": "INT_NUMBERS_IN_OVERSUBSCRIPTION REAL_NUMBERS_IN_OVERSUBSCRIPTION",
    "actions_cost_kind": "STATIC_FLUENTS_IN_ACTIONS_COST FLUENTS_IN_ACTIONS_COST INT_NUMBERS_IN_ACTIONS_COST "
    "REAL_NUMBERS_IN_ACTIONS_COST",
}
"""What we plan for and validate; durations and timed effects are planned by kairos."""

_PARAMETERS = ("search", "heuristic", "weight", "evaluations", "megabytes")

_FAILED = {
    Limit.TIME: results.PlanGenerationResultStatus.TIMEOUT,
    Limit.MEMORY: results.PlanGenerationResultStatus.MEMOUT,
    Limit.EVALUATIONS: results.PlanGenerationResultStatus.UNSOLVABLE_INCOMPLETELY,
}


# mypy does not look into the optional package, so that its classes have no type to it.
class ChorewrightEngine(Engine, OneshotPlannerMixin, AnytimePlannerMixin, Validator):  # type: ignore[misc]
    """chorewright's planner, one-shot and anytime, and its validator as an engine of unified-planning.

    Parameters (``params={...}``): ``search`` and ``heuristic`` as on our command line, ``weight`` of
    ``wastar``, ``evaluations`` and ``megabytes`` as limits; anytime planning has limits only. A plan is valid
    as PDDL says it: an atom that an action both deletes and adds is true (unified-planning's own validator
    refuses such an action).
    """

    def __init__(
        self,
        search: str = "greedy",
        heuristic: str | None = None,
        weight: int | None = None,
        evaluations: int | None = None,
        megabytes: int | None = None,
        **unknown: object,
    ) -> None:
        for parameter in unknown:
            hint = did_you_mean(parameter, _PARAMETERS) or f"one of {', '.join(_PARAMETERS)}"
            raise UPUsageError(f"{NAME} has no parameter '{parameter}': {hint}")
        Engine.__init__(self)
        OneshotPlannerMixin.__init__(self)
        AnytimePlannerMixin.__init__(self)
        Validator.__init__(self)
        try:
            self._configuration = Configuration.usual(search, heuristic, weight)
        except UsageError as error:
            raise UPUsageError(f"{error.message}: {error.hint}") from error
        self._limits = Limits(None, megabytes, evaluations)

    @property
    def name(self) -> str:
        """The engine's name."""
        return NAME

    @staticmethod
    def supported_kind() -> ProblemKind:
        """The features of problems that can be solved and validated."""
        kind = ProblemKind(version=LATEST_PROBLEM_KIND_VERSION)
        for part, features in _FEATURES.items():
            for feature in features.split():
                getattr(kind, f"set_{part}")(feature)
        return kind

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        """Whether problems of a kind can be solved and validated."""
        return bool(problem_kind <= ChorewrightEngine.supported_kind())

    @staticmethod
    def supports_plan(plan_kind: PlanKind) -> bool:
        """Sequences, and plans with times."""
        return plan_kind in (PlanKind.SEQUENTIAL_PLAN, PlanKind.TIME_TRIGGERED_PLAN)

    @staticmethod
    def satisfies(optimality_guarantee: OptimalityGuarantee) -> bool:
        """The default configuration guarantees a plan, not an optimal one (use ``search="astar"``)."""
        return bool(optimality_guarantee == OptimalityGuarantee.SATISFICING)

    @staticmethod
    def ensures(anytime_guarantee: AnytimeGuarantee) -> bool:
        """Each plan is cheaper than the one before; the last may not be optimal."""
        return bool(anytime_guarantee == AnytimeGuarantee.INCREASING_QUALITY)

    @staticmethod
    def get_credits(**options: object) -> Credits:
        """Who we are."""
        short = "A planner and validator for household tasks and any other PDDL."
        return Credits(NAME, "the chorewright authors", "", "", "MIT", short, f"{short} Version {__version__}.")

    def _solve(
        self,
        problem: UnifiedProblem,
        heuristic: Callable[[UnifiedState], float | None] | None = None,
        timeout: float | None = None,
        output_stream: IO[str] | None = None,
    ) -> results.PlanGenerationResult:
        if heuristic is not None:
            warnings.warn(f"{NAME} ignores the given heuristic", stacklevel=3)
        _warn_of(output_stream)
        if timeout is not None and timeout <= 0:
            return _no_plan(results.PlanGenerationResultStatus.TIMEOUT, "out of time")
        try:
            ours = from_unified(problem)
            if ours.domain.durative_actions or ours.problem.timed:
                limits = replace(self._within(timeout), evaluations=None)
                answer = find_engine("kairos").solve(ours.domain, ours.problem, limits)
            else:
                answer = solve(ours.domain, ours.problem, self._within(timeout), self._configuration)
        except ChorewrightError as error:
            return _result_of_error(error)
        return _result(ours, answer)

    def _get_solutions(
        self, problem: UnifiedProblem, timeout: float | None = None, output_stream: IO[str] | None = None
    ) -> Iterator[results.PlanGenerationResult]:
        _warn_of(output_stream)
        if timeout is not None and timeout <= 0:
            yield _no_plan(results.PlanGenerationResultStatus.TIMEOUT, "out of time")
            return
        try:
            ours = from_unified(problem)
            anytime = Configuration.usual("anytime")
            for answer, last in better_plans(ours.domain, ours.problem, self._within(timeout), anytime):
                yield _result(ours, answer, last)
        except ChorewrightError as error:
            yield _result_of_error(error)

    def _within(self, timeout: float | None) -> Limits:
        return Limits(timeout, self._limits.megabytes, self._limits.evaluations)

    def _validate(self, problem: UnifiedProblem, plan: UnifiedPlan) -> results.ValidationResult:
        if not isinstance(plan, SequentialPlan | TimeTriggeredPlan):
            raise UPUsageError(f"{NAME} validates sequences and plans with times")
        try:
            ours = from_unified(problem)
        except UnsupportedError as error:
            log = [results.LogMessage(results.LogLevel.ERROR, error.message)]
            return results.ValidationResult(results.ValidationResultStatus.UNKNOWN, NAME, log_messages=log)
        try:
            steps = ours.steps_of(plan)
        except UPException as error:
            raise UPUsageError(f"the plan is not one for the problem '{problem.name}': {error}") from error
        verdict = validate_plan(ours.domain, ours.problem, file_of(steps))
        log = [results.LogMessage(results.LogLevel.INFO, verdict.message)] if verdict.message else []
        if verdict.valid:
            costs = {metric: Fraction(verdict.cost) for metric in problem.quality_metrics} or None
            return results.ValidationResult(
                results.ValidationResultStatus.VALID, NAME, log_messages=log, metric_evaluations=costs
            )
        missing = verdict.reason is Reason.MISSING_GOAL
        reason = results.FailedValidationReason.UNSATISFIED_GOALS if missing else None
        return results.ValidationResult(
            results.ValidationResultStatus.INVALID,
            NAME,
            log_messages=log,
            reason=reason or results.FailedValidationReason.INAPPLICABLE_ACTION,
            inapplicable_action=None if verdict.step is None else _step(plan, verdict.step - 1),
        )


def _warn_of(output_stream: IO[str] | None) -> None:
    if output_stream is not None:
        warnings.warn(f"{NAME} writes no output to the given stream", stacklevel=4)


def _result(ours: Translation, answer: Answer, last: bool = True) -> results.PlanGenerationResult:
    """What we found, in unified-planning's words; a plan may not be the ``last``."""
    if isinstance(answer, Unsolvable):
        return _no_plan(results.PlanGenerationResultStatus.UNSOLVABLE_PROVEN, answer.reason)
    if isinstance(answer, OutOfLimits):
        return _no_plan(_FAILED[answer.limit], f"out of {answer.limit.value}")
    status = results.PlanGenerationResultStatus.SOLVED_SATISFICING
    if answer.optimal:
        status = results.PlanGenerationResultStatus.SOLVED_OPTIMALLY
    elif not last:
        status = results.PlanGenerationResultStatus.INTERMEDIATE
    metrics = {"cost": f"{answer.cost:g}", "evaluated": str(answer.evaluated)}
    return results.PlanGenerationResult(status, ours.plan_back(answer), NAME, metrics=metrics)


def _step(plan: UnifiedPlan, number: int) -> ActionInstance:
    if isinstance(plan, SequentialPlan):
        return plan.actions[number]
    return sorted(plan.timed_actions, key=lambda each: each[0])[number][1]


def _result_of_error(error: ChorewrightError) -> results.PlanGenerationResult:
    """An error, in unified-planning's words."""
    if isinstance(error, UnsupportedError):
        return _no_plan(results.PlanGenerationResultStatus.UNSUPPORTED_PROBLEM, error.message)
    return _no_plan(results.PlanGenerationResultStatus.INTERNAL_ERROR, str(error))


def _no_plan(status: results.PlanGenerationResultStatus, message: str) -> results.PlanGenerationResult:
    level = (
        results.LogLevel.ERROR if status is results.PlanGenerationResultStatus.INTERNAL_ERROR else results.LogLevel.INFO
    )
    return results.PlanGenerationResult(status, None, NAME, log_messages=[results.LogMessage(level, message)])


def register(environment: Environment | None = None) -> None:
    """Make the engine known to an environment (the global one by default) under the name ``chorewright``."""
    factory = (environment or get_environment()).factory
    if NAME not in factory.engines:
        factory.add_engine(NAME, "chorewright.planner.engines.unified", "ChorewrightEngine")


register()
