"""Any engine of unified-planning as an engine of ours, by its name there."""

from __future__ import annotations

from dataclasses import dataclass

from unified_planning.engines.factory import DEFAULT_ENGINES
from unified_planning.engines.results import PlanGenerationResult, PlanGenerationResultStatus
from unified_planning.environment import Environment, get_environment
from unified_planning.model import Problem as UnifiedProblem
from unified_planning.plans import SequentialPlan

from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import EngineError, MissingExtra, UnsupportedError, UsageError
from chorewright.planner.engines.running import check_plan
from chorewright.planner.engines.unified_conversion import from_unified_plan, to_unified
from chorewright.planner.plan import UNLIMITED, Answer, Limit, Limits, OutOfLimits, Plan, Unsolvable


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

    def solve(self, domain: Domain, problem: Problem, limits: Limits = UNLIMITED) -> Answer:
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
            if not isinstance(result.plan, SequentialPlan):
                raise UnsupportedError(f"the plan of '{self.name}' is not sequential")
            actions = from_unified_plan(result.plan)
            plan: Plan = check_plan(domain, problem, actions, self.name, "unified-planning")
            return plan
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


__all__ = ["UnifiedPlanner"]
