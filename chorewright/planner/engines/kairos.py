"""kairos as an engine: a planner for durations, timed literals, preferences and numbers, in process.

It is given a problem as it is, so that it may solve what our searches refuse; our validator judges its plans.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from chorewright.domains.facts import whole
from chorewright.domains.pddl import syntax, write_domain, write_problem
from chorewright.domains.pddl.plain import write_plain
from chorewright.errors import EngineError, MissingExtra, UnsupportedError
from chorewright.files.plugins import pip_install
from chorewright.planner.engines.processes import check_plan, refuse_evaluations
from chorewright.planner.plan import UNLIMITED, Answer, GroundAction, Limit, Limits, OutOfLimits, TimedStep, Unsolvable
from chorewright.planner.validation import is_plain

KAIROS = "kairos"
LONGEST = 1_000_000
"""Seconds that stand for no limit."""

DECIMALS = 9
"""Of the times that it gives."""


@dataclass(frozen=True, slots=True)
class Kairos:
    """kairos in one thread, so that the same problem has the same plan.

    With ``anytime`` it goes on after its first plan until a limit or a proof.
    """

    anytime: bool = False

    def solve(self, domain: syntax.Domain, problem: syntax.Problem, limits: Limits = UNLIMITED) -> Answer:
        """Return a plan that the validator accepts, or why there is none.

        Raises:
            MissingExtra: kairos is not installed.
            UnsupportedError: kairos does not take the problem.
            EngineError: kairos failed, or its plan is not valid.
        """
        refuse_evaluations(KAIROS, limits)
        kairos = _load()
        times = bool(domain.durative_actions or problem.timed)
        texts = write_plain(domain, problem) if not times and is_plain(domain, problem) else None
        try:
            theirs = kairos.parse_domain(texts[0] if texts else write_domain(domain))
            task = kairos.parse_problem(texts[1] if texts else write_problem(problem), theirs)
        except kairos.PddlError as error:
            raise UnsupportedError(f"{KAIROS} cannot read the problem: {error}") from error
        options = {"timeout": limits.seconds or LONGEST, "threads": 1, "anytime": self.anytime}
        if limits.megabytes is not None:
            options["memory_limit_mb"] = limits.megabytes
        result = kairos.Planner().solve(task, **options)
        if result.plan is not None:
            return check_plan(
                domain, problem, _steps(result.plan, domain, times), KAIROS, "anytime" if self.anytime else "first"
            )
        return _without_plan(result)


def _load() -> Any:
    try:
        import kairos
    except ImportError as error:
        raise MissingExtra(f"{KAIROS} is not installed", hint=pip_install(KAIROS)) from error
    return kairos


def _steps(plan: Any, domain: syntax.Domain, times: bool) -> list[GroundAction | TimedStep]:
    """Return the actions of a plan, with times where they matter."""
    durative = {action.name for action in domain.durative_actions}
    steps: list[GroundAction | TimedStep] = []
    for step in plan.steps:
        action = GroundAction(step.name.lower(), tuple(name.lower() for name in step.args))
        time, duration = (whole(Fraction(f"{each:.{DECIMALS}f}")) for each in (step.time, step.duration))
        steps.append(TimedStep(time, action, duration if action.name in durative else None) if times else action)
    return steps


def _without_plan(result: Any) -> Answer:
    status = result.status.name
    if status == "UNSOLVABLE":
        return Unsolvable(f"{KAIROS} proves that there is no plan")
    if status in ("TIMEOUT", "CANCELLED", "NO_PLAN_FOUND"):
        return OutOfLimits(Limit.EVALUATIONS if status == "NO_PLAN_FOUND" else Limit.TIME, 0)
    if status in ("OUT_OF_MEMORY", "GROUNDING_TOO_LARGE"):
        return OutOfLimits(Limit.MEMORY, 0)
    reasons = "; ".join(each.message for each in result.diagnostics) or status.lower().replace("_", " ")
    kind = UnsupportedError if status == "UNSUPPORTED" else EngineError
    raise kind(f"{KAIROS} failed: {reasons}")
