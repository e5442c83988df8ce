"""The validator of plans with times: PDDL 2.1 level 3 (Fox and Long, JAIR 20, 2003, sections 5 and 8).

What happens at one time is checked in the state before it and applied at once. Two things at the same time must not
interfere. What holds over all of an action is checked in every state between its start and its end. As in VAL, times
count as the same that are at most a tenth of the tolerance apart, and the duration of an action that takes no time
means nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations

from chorewright.domains.arithmetic import RELATIONS, NumberChanges, read_number
from chorewright.domains.facts import Number, exact, number_text, whole
from chorewright.domains.formulas import Facts, holds, satisfying
from chorewright.domains.pddl import syntax
from chorewright.planner.plan import GroundAction, TimedStep
from chorewright.planner.plan_files import SAME, TOLERANCE, PlanFile
from chorewright.planner.splitting import END, START, Delayed, Footprint, SplitAction, literal_name, split
from chorewright.planner.trajectories import PlanTrajectory
from chorewright.planner.validation import PlanWorld, Reason, Verdict, is_plain, validate


@dataclass(slots=True)
class _Run:
    """A step of the plan, and which values of its delayed effects' variables are still due."""

    number: int
    step: TimedStep
    split: SplitAction | None
    due: list[tuple[Delayed, list[dict[str, str]]]] = field(default_factory=list)

    @property
    def arguments(self) -> tuple[str, ...]:
        given, duration = self.step.action.arguments, self.step.duration
        return given if self.split is None else (*given, number_text(duration or 0))


@dataclass(frozen=True, slots=True)
class _Event:
    """The start or the end of a durative action, or an action that takes no time (of no ``time``)."""

    at: Number
    run: _Run
    time: str

    @property
    def action(self) -> GroundAction:
        name = self.run.step.action.name
        return GroundAction(f"{name} {self.time}" if self.time else name, self.run.arguments)

    def __str__(self) -> str:
        return f"{self.time.removeprefix('at ')} {self.run.step.action}".strip()


class _Invalid(Exception):
    """The plan is not valid: where, and why."""

    def __init__(self, run: _Run | None, reason: Reason, message: str, unmet: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.run, self.reason, self.unmet = run, reason, unmet


@dataclass(frozen=True, slots=True)
class Happening:
    """What happens at one time: the starts, ends and actions without duration, and the atoms that change."""

    time: Number
    events: tuple[str, ...]
    added: tuple[syntax.GroundAtom, ...]
    removed: tuple[syntax.GroundAtom, ...]


def ignore(_: Happening) -> None:
    """Say nothing of what happens."""


def validate_plan(
    domain: syntax.Domain, problem: syntax.Problem, plan: PlanFile, tolerance: Fraction = TOLERANCE
) -> Verdict:
    """Run the plan of a file and say whether it reaches the goal, or what fails first.

    Without durative actions, steps whose times follow each other are a sequence; steps of one time happen together.

    Args:
        domain: The domain.
        problem: The problem.
        plan: The plan.
        tolerance: By how much durations may differ from what is asked for.
    """
    if needs_times(domain, problem, plan, tolerance):
        return validate_timed(domain, problem, plan.steps, tolerance)
    return validate(domain, problem, plan.actions)


def needs_times(
    domain: syntax.Domain, problem: syntax.Problem, plan: PlanFile, tolerance: Fraction = TOLERANCE
) -> bool:
    """Whether a plan is more than a sequence of actions in the order of its file that reaches the goal."""
    return bool(domain.durative_actions) or not is_plain(domain, problem) or not plan.is_sequence(tolerance)


def validate_timed(
    domain: syntax.Domain,
    problem: syntax.Problem,
    steps: Sequence[TimedStep],
    tolerance: Fraction = TOLERANCE,
    report: Callable[[Happening], None] = ignore,
) -> Verdict:
    """Run a plan with times and say whether it reaches the goal, or what fails first.

    Args:
        domain: The domain.
        problem: The problem.
        steps: The plan; its names and objects need not be known.
        tolerance: By how much durations may differ from what is asked for.
        report: Hears of all that happens.

    Returns:
        The verdict. Its step is the number of the plan's line among its steps; its cost is the metric's value at the
        end, or where there is no metric the time of the end, or the number of steps if no action has a duration.
    """
    check = _Check(domain, problem, tolerance, report)
    try:
        check.run(steps)
    except _Invalid as found:
        number = found.run.number if found.run else None
        where = f"step {number}: " if number else ""
        return Verdict(False, check.cost, number or None, found.reason, found.unmet, f"{where}{found}")
    return Verdict(True, check.cost, violations=tuple(sorted(check.trajectory.violations.items())))


class _Check:
    """The state of a plan that is being run."""

    def __init__(
        self, domain: syntax.Domain, problem: syntax.Problem, tolerance: Fraction, report: Callable[[Happening], None]
    ) -> None:
        plain, self._splits = split(domain, problem.timed)
        self._world = world = PlanWorld.of(plain, replace(problem, constraints=(), timed=()))
        self._timed, self._tolerance, self._report = problem.timed, tolerance, report
        self.trajectory = PlanTrajectory(domain, problem, world.universe)
        self._facts = self._measured = Facts(world.initial())
        self._running: dict[int, _Run] = {}
        self._steps, self._time = 0, Fraction(0)
        self.cost = 0.0

    def run(self, steps: Sequence[TimedStep]) -> None:
        """Run all steps; raises ``_Invalid`` where it cannot."""
        self._look(0)
        for events in self._together(self._events(steps)):
            self._happen(events)
            self._measure(events)
            self._look(events[0].at)
        self._look(whole(self._time), last=True)
        if self.trajectory.violations:
            self._measure(())
        missing, said = self._world.unmet(self._world.problem.goal, self._facts, {})
        if not holds(self._world.problem.goal, self._facts, self._world.universe):
            raise _Invalid(None, Reason.MISSING_GOAL, f"the goal is not reached: {said}", missing)

    def _look(self, now: Number, last: bool = False) -> None:
        """Check the constraints in the state from a time on, or what they say when no state follows."""
        if violated := self.trajectory.end() if last else self.trajectory.look(self._facts, now):
            message = f"the constraint {violated} is violated at {number_text(now)}"
            raise _Invalid(None, Reason.VIOLATED_CONSTRAINT, message, (violated,))

    def _measure(self, events: Sequence[_Event]) -> None:
        """Say what the plan costs so far; a literal that comes after its last step does not count, as in VAL."""
        world, own = self._world, [event for event in events if event.run.number]
        self._measured = self._facts if own else self._measured
        self._steps += sum(1 for event in own if event.time != END)
        self._time = max([self._time, *(Fraction(event.at) for event in own)])
        if world.numeric or (self._splits and not world.problem.minimize_cost):
            time = whole(self._time) if self._splits else self._steps
            self.cost = world.measure(self._measured, time, self.trajectory.violations)
        else:
            self.cost += sum(world.cost(event.action) or 0.0 for event in own)

    def _together(self, events: Sequence[_Event]) -> Iterator[list[_Event]]:
        """Yield the events that happen at one time, in the order of their times."""
        group: list[_Event] = []
        for event in events:
            if group and event.at - group[0].at > self._tolerance / SAME:
                yield group
                group = []
            group.append(event)
        if group:
            yield group

    def _events(self, steps: Sequence[TimedStep]) -> list[_Event]:
        literals = [
            TimedStep(exact(each.time), GroundAction(literal_name(place), ())) for place, each in enumerate(self._timed)
        ]
        events = [_Event(step.time, _Run(0, step, None), "") for step in literals]
        for number, step in enumerate(steps, 1):
            found = self._splits.get(step.action.name)
            run = _Run(number, step, found)
            self._check_names(run)
            if found is None:
                events.append(_Event(step.time, run, ""))
            else:
                events += [_Event(step.time, run, START), _Event(step.time + (step.duration or 0), run, END)]
        return sorted(events, key=lambda event: (event.at, event.run.number))

    def _check_names(self, run: _Run) -> None:
        step = run.step
        refused = self._world.refusal(step.action, self._facts)
        if refused is not None and refused[0] in (
            Reason.UNKNOWN_ACTION,
            Reason.WRONG_ARITY,
            Reason.UNKNOWN_OBJECT,
            Reason.WRONG_TYPE,
        ):
            raise _Invalid(run, refused[0], refused[2])

    def _happen(self, events: Sequence[_Event]) -> None:
        """Check what happens at one time, apply it, and check what must hold afterwards."""
        for event in events:
            self._check(event)
        deleted: set[syntax.GroundAtom] = set()
        added: set[syntax.GroundAtom] = set()
        numbers = NumberChanges()
        prints: list[tuple[_Event, Footprint]] = []
        for event in events:
            mark, changes = self._apply(event)
            deleted |= mark.deleted
            added |= mark.added
            numbers.merge(changes)
            if len(events) > 1 and self._world.domain.axioms:
                mark.read_derived(self._world.domain, self._world.universe)
            prints.append((event, mark))
        for (earlier, one), (event, other) in combinations(prints, 2):
            if touched := one.interferes(other):
                shown = f"{event.run.step.action} interferes with {earlier.run.step.action} at the same time"
                message = f"{shown}: both touch {touched}"
                raise _Invalid(event.run, Reason.INTERFERENCE, message)
        if wrong := numbers.problem(self._facts):
            reason = Reason.CONFLICTING_EFFECTS if wrong[0] else Reason.UNDEFINED_VALUE
            raise _Invalid(events[0].run, reason, f"at {number_text(events[0].at)}: {wrong[1]}")
        less, more = numbers.atoms(self._facts)
        before = frozenset(self._facts.atoms)
        after = self._world.closed((before - deleted - less) | added | more)
        self._facts = Facts(after)
        if self._report is not ignore:
            changed = tuple(sorted(after - before)), tuple(sorted(before - after))
            self._report(Happening(events[0].at, tuple(map(str, events)), *changed))
        for event in events:
            if event.time == START:
                self._running[event.run.number] = event.run
            elif event.time == END:
                del self._running[event.run.number]
        for run in self._running.values():
            self._check_between(run, events[0].at)

    def _check(self, event: _Event) -> None:
        """Check the condition and the duration of an event in the state before it."""
        world, action, run = self._world, event.action, event.run
        binding = world.binding(action)
        if run.split is not None:
            for asked in run.split.action.durations:
                if asked.time == event.time:
                    self._check_duration(asked, run, binding)
        precondition = world.schemas[action.name].action.precondition
        if not holds(precondition, self._facts, world.universe, binding):
            parts, said = world.unmet(precondition, self._facts, binding)
            when = f" {event.time}" if event.time else ""
            raise _Invalid(run, Reason.UNMET_PRECONDITION, f"{run.step.action} needs {said}{when}", parts)
        if run.split is None:
            self.trajectory.run(action.name, self._facts, binding)
        if not self._splits and not world.numeric and world.cost(action) is None:
            raise _Invalid(run, Reason.UNDEFINED_COST, f"the problem gives no cost for {action}")

    def _check_duration(self, asked: syntax.TimedCondition, run: _Run, binding: dict[str, str]) -> None:
        wanted = asked.condition
        if not isinstance(wanted, syntax.Comparison):
            return
        amount = read_number(wanted.right)(self._facts, self._world.universe, binding)
        step, given = run.step, run.step.duration or 0
        relation = RELATIONS[wanted.operator]
        near = amount is not None and abs(float(given) - float(amount)) < self._tolerance  # as VAL rounds
        if amount is None or not (relation(given, amount) or near):
            if step.duration is None:
                message = f"'{step.action.name}' needs a duration, as in {number_text(step.time)}: {step.action} [1.5]"
                raise _Invalid(run, Reason.WRONG_DURATION, message)
            shown = "undefined" if amount is None else number_text(amount)
            message = f"{run.step.action} takes {number_text(given)}, but must take {wanted.operator} {shown}"
            unmet = () if amount is None else (f"({wanted.operator} {syntax.DURATION} {shown})",)
            raise _Invalid(run, Reason.WRONG_DURATION, message.replace("take = ", "take "), unmet)

    def _check_between(self, run: _Run, now: Number) -> None:
        """Check what must hold between the start and the end of an action; drop delayed effects that are not due."""
        if run.split is None:
            return
        world = self._world
        binding = world.binding(GroundAction(run.split.name(START), run.arguments))
        if not holds(run.split.between, self._facts, world.universe, binding):
            parts, said = world.unmet(run.split.between, self._facts, binding)
            message = f"{run.step.action} needs {said} over all, but not after {number_text(now)}"
            raise _Invalid(run, Reason.UNMET_INVARIANT, message, parts)
        for late, values in run.due:
            values[:] = [
                each for each in values if holds(late.between, self._facts, world.universe, {**binding, **each})
            ]

    def _apply(self, event: _Event) -> tuple[Footprint, NumberChanges]:
        """Return what an event reads and changes in the state before it."""
        world, run = self._world, event.run
        mark, changes = Footprint(), NumberChanges()
        self._fire(event.action, mark, changes)
        if run.split is None:
            return mark, changes
        binding = world.binding(event.action)
        if event.time == START:
            for late in run.split.delayed:
                mark.read(syntax.Exists(late.variables, late.start), world.universe, binding)
                told = syntax.Exists(late.variables, late.start)
                found = satisfying(told, self._facts, world.universe, binding)
                run.due.append((late, [dict(each) for each in found]))
            return mark, changes
        for late, values in run.due:
            if late.end != syntax.TRUE:
                mark.read(syntax.Exists(late.variables, late.end), world.universe, binding)
            for each in values:
                if holds(late.end, self._facts, world.universe, {**binding, **each}):
                    self._fire(GroundAction(late.action, (*run.arguments, *each.values())), mark, changes)
        return mark, changes

    def _fire(self, action: GroundAction, mark: Footprint, changes: NumberChanges) -> None:
        """Add what an action reads, and what it does to atoms and numbers."""
        world = self._world
        schema, binding = world.schemas[action.name].action, world.binding(action)
        mark.read(schema.precondition, world.universe, binding)
        for preferred in self.trajectory.preferences.get(action.name, ()):
            for condition in preferred.conditions:
                mark.read(syntax.Exists((*preferred.variables, *preferred.shared), condition), world.universe, binding)
        mark.read_effect(schema.effect, self._facts, world.universe, dict(binding))
        deleted, added = world.effects(action, self._facts, atoms_only=True)
        mark.deleted |= deleted
        mark.added |= added
        if not world.numeric:
            return
        found = world.number_changes(action, self._facts)
        for fluent, additive in found.additive().items():
            mark.changed[fluent] = mark.changed.get(fluent, True) and additive
        changes.merge(found)
