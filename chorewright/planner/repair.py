"""The smallest change that makes a plan valid: another object, another place, a step more or less.

Plans are tried that differ by one change, beginning with the step that fails; for a sequence, too, those in which the
planner fills the gap by a few steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice

from chorewright.domains.facts import Number, number_of, number_text
from chorewright.domains.formulas import Facts
from chorewright.domains.pddl import syntax
from chorewright.domains.rewriting import substitute
from chorewright.files.english import closest
from chorewright.planner.durative_validation import needs_times, validate_plan
from chorewright.planner.plan import GroundAction, Limits, Plan, TimedStep
from chorewright.planner.plan_files import PlanFile
from chorewright.planner.progression import applicable
from chorewright.planner.validation import PlanWorld, Reason, Verdict

MOST = 3_000
"""Plans that are tried at most, each by the validator."""

LONGEST = 4
"""Steps that may be missing in one place."""

EVALUATIONS = 2_000
"""What the planner may spend on a gap."""


@dataclass(frozen=True, slots=True)
class Repair:
    """A changed plan, and what the change is in words."""

    steps: tuple[TimedStep, ...]
    said: str


def propose_repair(
    domain: syntax.Domain, problem: syntax.Problem, plan: PlanFile, verdict: Verdict, tolerance: Fraction
) -> str | None:
    """Say which small change makes an invalid plan valid; None if none is known.

    Args:
        domain: The domain.
        problem: The problem.
        plan: The plan.
        verdict: What is wrong with it.
        tolerance: By how much durations may differ from what is asked for.
    """

    def is_valid(steps: Sequence[TimedStep]) -> bool:
        return validate_plan(domain, problem, replace(plan, steps=tuple(steps)), tolerance).valid

    if needs_times(domain, problem, plan, tolerance):
        candidates = _changes_of_times(domain, problem, plan.steps, verdict, tolerance)
    else:
        candidates = _changes(domain, problem, plan.steps, verdict)
    for each in islice(candidates, MOST):
        if is_valid(each.steps):
            return each.said
    if needs_times(domain, problem, plan, tolerance):
        return None
    filled = _fill(domain, problem, plan.steps, verdict)
    return filled.said if filled is not None and is_valid(filled.steps) else None


def _changes(
    domain: syntax.Domain, problem: syntax.Problem, steps: Sequence[TimedStep], verdict: Verdict
) -> Iterator[Repair]:
    """Yield sequences that differ by one change, the likely ones first."""
    place = len(steps) if verdict.step is None else verdict.step - 1
    if verdict.step is not None:
        yield from _rename(domain, problem, steps, place)
    yield from _move(steps, place)
    yield from _insert(domain, problem, steps, place)
    for at in sorted(range(len(steps)), key=lambda at: abs(at - place)):
        yield _sequence([*steps[:at], *steps[at + 1 :]], f"leave out step {at + 1}: {steps[at].action}")
    for at in range(min(place, len(steps)) - 1, -1, -1):
        yield from _rename(domain, problem, steps, at)


def _sequence(steps: Sequence[TimedStep], said: str) -> Repair:
    """Return a repair whose steps run one after the other."""
    return Repair(tuple(replace(step, time=number) for number, step in enumerate(steps, 1)), said)


def _rename(domain: syntax.Domain, problem: syntax.Problem, steps: Sequence[TimedStep], at: int) -> Iterator[Repair]:
    """Yield plans in which one step has another object, or another action of as many objects."""
    step = steps[at]
    for action in _alike(domain, problem, step.action):
        said = f"write {action} in step {at + 1}, not {step.action}"
        yield Repair((*steps[:at], replace(step, action=action), *steps[at + 1 :]), said)


def _alike(domain: syntax.Domain, problem: syntax.Problem, action: GroundAction) -> Iterator[GroundAction]:
    objects = [each.name for each in (*domain.constants, *problem.objects)]
    names = [each.name for each in domain.all_actions]
    if action.name not in names and (meant := closest(action.name, names)):
        yield replace(action, name=meant)
    for place, given in enumerate(action.arguments):
        meant = closest(given, objects) if given not in objects else None
        for each in [meant] if meant else objects:
            if each != given:
                changed = (*action.arguments[:place], each, *action.arguments[place + 1 :])
                yield replace(action, arguments=changed)


def _move(steps: Sequence[TimedStep], place: int) -> Iterator[Repair]:
    """Yield plans in which one step stands elsewhere: the one that fails, or one that comes too late for it."""
    if place < len(steps):
        rest = [*steps[:place], *steps[place + 1 :]]
        for to in sorted(range(len(steps)), key=lambda to: abs(to - place)):
            if to != place:
                said = f"move step {place + 1}, {steps[place].action}, {_where(rest, to)}"
                yield _sequence([*rest[:to], steps[place], *rest[to:]], said)
        for late in range(place + 1, len(steps)):
            rest = [*steps[:late], *steps[late + 1 :]]
            for to in range(place, -1, -1):
                said = f"move step {late + 1}, {steps[late].action}, {_where(rest, to)}"
                yield _sequence([*rest[:to], steps[late], *rest[to:]], said)


def _where(rest: Sequence[TimedStep], to: int) -> str:
    return "to the end" if to == len(rest) else f"before {rest[to].action}"


def _insert(domain: syntax.Domain, problem: syntax.Problem, steps: Sequence[TimedStep], place: int) -> Iterator[Repair]:
    """Yield plans with one step more, before the one that fails or earlier."""
    world = PlanWorld.of(domain, problem)
    states = [Facts(world.initial())]
    for step in steps[:place]:
        if world.refusal(step.action, states[-1]) is not None:
            return
        states.append(world.advance(step.action, Facts(frozenset(states[-1].atoms))))
    for at in range(len(states) - 1, -1, -1):
        for action in applicable(domain, world.universe, states[at]):
            where = f"after step {at}" if at else "at the beginning"
            yield _sequence([*steps[:at], TimedStep(0, action), *steps[at:]], f"add {action} {where}")


def _fill(
    domain: syntax.Domain, problem: syntax.Problem, steps: Sequence[TimedStep], verdict: Verdict
) -> Repair | None:
    """Return the plan with a few steps more where it fails, found by the planner."""
    from chorewright.planner.planning import solve

    world = PlanWorld.of(domain, problem)
    place = len(steps) if verdict.step is None else verdict.step - 1
    facts = Facts(world.initial())
    for step in steps[:place]:
        facts = world.advance(step.action, facts)
    goal = problem.goal
    if verdict.step is not None:
        if verdict.reason is not Reason.UNMET_PRECONDITION:
            return None
        action = steps[place].action
        goal = substitute(domain.action(action.name).precondition, world.binding(action))
    derived = {axiom.head.name for axiom in domain.axioms}
    now = tuple(sorted(each for each in facts.atoms if each[0] not in derived and each[0] != "="))
    if world.numeric:
        return None
    answer = solve(domain, replace(problem, init=now, goal=goal), Limits(evaluations=EVALUATIONS))
    if not isinstance(answer, Plan) or len(answer.actions) > LONGEST:
        return None
    more = [TimedStep(0, each) for each in answer.actions]
    where = f"after step {place}" if place else "at the beginning"
    said = f"add {' '.join(map(str, answer.actions))} {where}"
    return _sequence([*steps[:place], *more, *steps[place:]], said)


# Plans with times: a step is later or earlier, takes longer or shorter, or has another object.


def _changes_of_times(
    domain: syntax.Domain, problem: syntax.Problem, steps: Sequence[TimedStep], verdict: Verdict, tolerance: Fraction
) -> Iterator[Repair]:
    places = range(len(steps)) if verdict.step is None else [verdict.step - 1]
    for at in places:
        yield from _shift(steps, at, verdict, tolerance)
        yield from _rename(domain, problem, steps, at)
    for at in range(len(steps)):
        if at not in places:
            yield from _shift(steps, at, verdict, tolerance)
        rest = (*steps[:at], *steps[at + 1 :])
        yield Repair(rest, f"leave out step {at + 1}: {steps[at].action}")


def _shift(steps: Sequence[TimedStep], at: int, verdict: Verdict, tolerance: Fraction) -> Iterator[Repair]:
    step = steps[at]

    def with_times(said: str, time: Number, duration: Number | None) -> Repair:
        other = TimedStep(time, step.action, duration)
        return Repair((*steps[:at], other, *steps[at + 1 :]), f"{said} step {at + 1}, {step.action}")

    if verdict.reason is Reason.WRONG_DURATION:
        for asked in verdict.unmet:
            wanted = asked.rstrip(")").split()[-1]
            yield with_times(f"give [{wanted}] to", step.time, number_of(wanted))
    ends = {each.time + (each.duration or 0) for each in steps} | {each.time for each in steps}
    for end in sorted(ends, key=lambda end: abs(float(end - step.time))):
        for time in (end + tolerance, end, end - tolerance, end - tolerance - (step.duration or 0)):
            if time >= 0 and time != step.time:
                yield with_times(f"start at {number_text(time)}", time, step.duration)
