"""kairos as an engine: a planner for durations, timed literals, preferences and numbers, in process.

It is given a problem as it is, so that it may solve what our searches refuse. Our validator judges its plans; of what
we cannot read, its own does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from chorewright.domains.facts import whole
from chorewright.domains.pddl import syntax, write_domain, write_problem
from chorewright.domains.pddl.plain import write_plain
from chorewright.errors import EngineError, UnsupportedError
from chorewright.files.plugins import require_extra
from chorewright.planner import plan
from chorewright.planner.engines.processes import check_plan, refuse_evaluations
from chorewright.planner.validation import is_plain

KAIROS = "kairos"
LONGEST = 1_000_000
"""Seconds that stand for no limit."""

DECIMALS = 9
"""Of the times that it gives."""

WAYS = ("first", "anytime")


@dataclass(frozen=True, slots=True)
class Kairos:
    """kairos in one thread, so that the same problem has the same plan.

    With ``anytime`` it goes on after its first plan until a limit or a proof.
    """

    anytime: bool = False

    def solve(
        self, domain: syntax.Domain, problem: syntax.Problem, limits: plan.Limits = plan.UNLIMITED
    ) -> plan.Answer:
        """Return a plan that the validator accepts, or why there is none.

        Raises:
            MissingExtra: kairos is not installed.
            UnsupportedError: kairos does not take the problem.
            EngineError: kairos failed, or its plan is not valid.
        """
        times = bool(domain.durative_actions or problem.timed)
        texts = write_plain(domain, problem) if not times and is_plain(domain, problem) else None
        result, _ = self._search(*(texts or (write_domain(domain), write_problem(problem))), limits)
        if result.plan is None:
            return _without_plan(result)
        steps = _steps(result.plan)
        durative = {action.name for action in domain.durative_actions}
        timed = [s if s.action.name in durative else replace(s, duration=None) for s in steps]
        return check_plan(domain, problem, timed if times else [s.action for s in steps], KAIROS, WAYS[self.anytime])

    def solve_written(self, domain: str, problem: str, limits: plan.Limits) -> plan.Answer:
        """Return a plan of two texts that chorewright does not read, such as PDDL+; kairos alone judges it.

        Raises:
            MissingExtra: kairos is not installed.
            UnsupportedError: kairos does not take the problem.
            EngineError: kairos failed, or does not accept its own plan.
        """
        result, task = self._search(domain, problem, limits)
        if result.plan is None:
            return _without_plan(result)
        report = _load().validate(task, result.plan)
        if not report.valid:
            raise EngineError(f"{KAIROS} gave a plan that it does not accept itself")
        steps = tuple(step if step.duration else replace(step, duration=None) for step in _steps(result.plan))
        note = f"only {KAIROS} has judged this plan, which ends at {result.plan.end:g}: we cannot read the problem"
        cost = len(steps) if report.metric is None else report.metric
        return plan.Plan(
            tuple(step.action for step in steps), cost, KAIROS, WAYS[self.anytime], note=note, schedule=steps
        )

    def _search(self, domain: str, problem: str, limits: plan.Limits) -> tuple[Any, Any]:
        """Return kairos's result and its problem."""
        refuse_evaluations(KAIROS, limits)
        kairos = _load()
        try:
            task = kairos.parse_problem(problem, kairos.parse_domain(domain))
        except kairos.PddlError as error:
            raise UnsupportedError(f"{KAIROS} cannot read the problem: {error}") from error
        options = {"timeout": limits.seconds or LONGEST, "threads": 1, "anytime": self.anytime}
        if limits.megabytes is not None:
            options["memory_limit_mb"] = limits.megabytes
        return kairos.Planner().solve(task, **options), task


def _load() -> Any:
    with require_extra(f"{KAIROS} is not installed", KAIROS):
        import kairos
    return kairos


def _steps(found: Any) -> list[plan.TimedStep]:
    """Return the actions of a plan with their times and durations."""
    steps = []
    for step in found.steps:
        action = plan.GroundAction(step.name.lower(), tuple(name.lower() for name in step.args))
        time, duration = (whole(Fraction(f"{each:.{DECIMALS}f}")) for each in (step.time, step.duration))
        steps.append(plan.TimedStep(time, action, duration))
    return steps


def _without_plan(result: Any) -> plan.Answer:
    status = result.status.name
    if status == "UNSOLVABLE":
        return plan.Unsolvable(f"{KAIROS} proves that there is no plan")
    if status in ("TIMEOUT", "CANCELLED", "NO_PLAN_FOUND"):
        return plan.OutOfLimits(plan.Limit.EVALUATIONS if status == "NO_PLAN_FOUND" else plan.Limit.TIME, 0)
    if status in ("OUT_OF_MEMORY", "GROUNDING_TOO_LARGE"):
        return plan.OutOfLimits(plan.Limit.MEMORY, 0)
    reasons = "; ".join(each.message for each in result.diagnostics) or status.lower().replace("_", " ")
    kind = UnsupportedError if status == "UNSUPPORTED" else EngineError
    raise kind(f"{KAIROS} failed: {reasons}")
