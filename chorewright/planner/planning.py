"""The planner: from a domain and a problem to a validated plan, or why there is none.

A ladder of tasks, from the objects that the goal seems to need up to the full task. The first rungs get small
budgets; every plan is run by the validator on the problem itself; only the full rung may say that there is no
plan. With the same problem and configuration the answer is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import LimitError
from chorewright.files.processes import Timed
from chorewright.files.stopping import Alarm, Stopped, promptly
from chorewright.planner.grounding.grounding import ground
from chorewright.planner.grounding.joins.derivation import UNLIMITED_MEMORY, MemoryBudget, OutOfMemory
from chorewright.planner.grounding.numbering import most_actions
from chorewright.planner.grounding.task import Task
from chorewright.planner.plan import NAME, UNLIMITED, Answer, Limit, Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.search import anytime
from chorewright.planner.search.configuration import DEFAULT, OPTIMAL, Configuration, satisfice
from chorewright.planner.search.improvement import USUAL_SIZE
from chorewright.planner.search.narrowing import narrow_task
from chorewright.planner.search.search import UNBOUNDED, Budget, Prepared, SearchResult, prepare, state_limit
from chorewright.planner.validation import depends_on_numbers, is_plain, validate
from chorewright.planner.warming import ensure_compiled

MOST_EVALUATIONS = 1 << 40
SMALL = 20_000
"""Ground actions of a task that is searched in full at once: tight rungs may miss what cheap plans use."""

FEW, MODEST = 10, 60
"""Megabytes for the full task in place of tight ones, as the bound on ground actions is loose; for cheaper plans."""

LEAST_WORK = 50_000_000
"""Evaluations times a task's size that improvement may take at least where it is bounded by the first plan's work."""

GROUNDING = 1000
"""Evaluations of a task that take as long as grounding it, about."""

QUICK, LESS = 13_000, 2
"""Evaluations for a narrowed task and before tight rungs get their own; how many times fewer improve its plan."""


@dataclass(frozen=True, slots=True)
class Rung:
    """A ground task of the ladder, its evaluation budget, and whether it is the full one or narrowed."""

    task: Task | None
    evaluations: int
    full: bool
    narrow: bool = False


def ladder(
    domain: Domain,
    problem: Problem,
    configuration: Configuration,
    stop: NDArray[np.int64],
    memory: MemoryBudget = UNLIMITED_MEMORY,
    overlooked: Set[str] = frozenset(),
) -> Iterator[Rung]:
    """Ground tasks from tight to full, after a tight and the full one for a few evaluations where there is room for it.

    Args:
        domain: The domain.
        problem: The problem.
        configuration: How to search; it says which rungs there are.
        stop: One number; another thread sets it to non-zero to end grounding.
        memory: What grounding may take.
        overlooked: Objects on which a rung's plan depends although it does not know them. Whoever asks for the next
            rung adds them, and gets the same rung with them, or later where the full one comes before.

    Raises:
        Stopped: it was stopped.
        OutOfMemory, LimitError: the full task is too large.
    """
    whole = None
    if not configuration.optimal and most_actions(domain, problem) > SMALL:
        if configuration.at_once:
            whole = _ground_within(FEW, domain, problem, stop, memory)
            small = whole is not None and whole.task is not None and whole.task.operator_count <= SMALL
            whole = whole or _ground_within(MODEST, domain, problem, stop, memory)
            if whole is not None and (small or whole.task is None):
                yield whole
                return
        given = domain, problem, configuration.rungs, stop, memory, overlooked
        for rung in _tight_rungs(*given) if whole is not None else ():
            yield rung if rung.full else replace(rung, evaluations=min(QUICK, rung.evaluations))
            if rung.full:
                return
            if whole is not None and not rung.narrow:
                yield replace(whole, evaluations=min(QUICK, rung.evaluations))
                break
        for number, rung in enumerate(_tight_rungs(*given)):
            if number or whole is None or not rung.narrow:
                yield rung
            if rung.full:
                return
    yield whole or Rung(ground(domain, problem, None, stop, memory), MOST_EVALUATIONS, True)


def _ground_within(
    megabytes: int, domain: Domain, problem: Problem, stop: NDArray[np.int64], memory: MemoryBudget
) -> Rung | None:
    """The full task if there is room for it in so much memory."""
    try:
        task = ground(domain, problem, None, stop, MemoryBudget(min(megabytes, memory.megabytes or megabytes)))
    except (OutOfMemory, LimitError):
        return None
    return Rung(task, MOST_EVALUATIONS, True)


def _tight_rungs(
    domain: Domain,
    problem: Problem,
    budgets: Sequence[int],
    stop: NDArray[np.int64],
    memory: MemoryBudget,
    overlooked: Set[str],
) -> Iterator[Rung]:
    """Rungs that are not the full task; of an unreachable goal, one that says so in place of the full one."""
    from chorewright.planner.grounding.relevance import Unreachable, relevant_objects  # small tasks do without

    before: frozenset[str] | None = None
    everything = frozenset(o.name for o in (*domain.constants, *problem.objects))
    for level, budget in enumerate(budgets):
        try:
            keep = relevant_objects(domain, problem, level, stop, memory, few_alike=True)
            if keep is None or keep in (before, everything):
                continue
            before = keep
            task = ground(domain, problem, keep, stop, memory)
        except Unreachable:
            yield Rung(None, 0, True)
            return
        except (OutOfMemory, LimitError):
            continue
        narrow = None if task is None else narrow_task(task)
        if narrow is not None:
            yield Rung(narrow, QUICK, False, True)
        yield Rung(task, budget, False)
        with suppress(OutOfMemory, LimitError):
            for _ in range(2):  # tried again with what its plan has overlooked
                if overlooked <= before:
                    break
                before = before.union(overlooked)
                yield Rung(ground(domain, problem, before, stop, memory), budget, False)


@Timed("plan")
def solve(
    domain: Domain,
    problem: Problem,
    limits: Limits = UNLIMITED,
    configuration: Configuration = DEFAULT,
    report: anytime.Report = anytime.silent,
    alarm: Alarm | None = None,
) -> Answer:
    """Solve a problem. The clock starts when the kernels have been compiled.

    The first plan and each cheaper one go to ``report`` as soon as they are there. Who gives an ``alarm`` (for the
    limits) can stop the search by its flag. If it is running already, kernels are compiled within the limits.

    Args:
        domain: The domain.
        problem: The problem.
        limits: Seconds, megabytes and evaluations, and how long improvement may last without a cheaper plan.
        configuration: How to search.
        report: Hears of the first plan and of each cheaper one.
        alarm: The clock; one for the limits by default.

    Returns:
        A validated plan, the reason why there is none, or the limit that was met.

    Raises:
        LimitError: the problem is too large to ground, and there is no memory limit.
    """
    alarm = alarm or limits.alarm()
    if domain.durative_actions or not is_plain(domain, problem):
        from chorewright.planner.compilation import compile_away

        return compile_away(domain, problem).solve(solve, limits, configuration, report, alarm)
    if depends_on_numbers(domain, problem):
        from chorewright.planner.numeric import solve_numeric

        with alarm:
            return solve_numeric(domain, problem, limits, configuration, alarm, report)
    if (limits.seconds, limits.cpu_seconds) != (None, None) and not alarm.running:
        ensure_compiled()
    with alarm:
        striving = anytime.Striving(limits.barren, alarm.flag, report)
        progress = _Progress(domain, problem, limits, configuration, alarm, striving)
        try:
            memory = MemoryBudget(limits.megabytes)
            rungs = ladder(domain, problem, configuration, alarm.flag, memory, progress.overlooked)
            while True:
                with promptly():
                    rung = next(rungs)
                answer = progress.evaluate_rung(rung)
                if isinstance(answer, Plan) and configuration.search == "anytime":
                    return progress.go_on(answer, rung, rungs)
                if isinstance(answer, Plan) and configuration.rivals and not rung.full:
                    return progress.ask_whole(answer, memory)
                if answer is not None:
                    return answer
        except Stopped:
            return OutOfLimits(alarm.limit or Limit.TIME, progress.spent)
        except (OutOfMemory, MemoryError):
            return OutOfLimits(Limit.MEMORY, progress.spent)
        finally:
            progress.striving.end()


@dataclass(slots=True)
class _Progress:
    """What is given and what has been spent while the ladder is climbed.

    Attributes:
        domain: The domain.
        problem: The problem.
        limits: What the search may use.
        configuration: How to search.
        alarm: The clock; its flag ends the search.
        striving: Hears of plans, and ends improvement.
        spent: The evaluations so far.
        work: The same and those of grounding, each times the size of its task.
        most: How much work improvement may end with; None before the first plan, and where it is not bounded by that.
        overlooked: Objects on which plans of tight rungs depended that did not know them.
    """

    domain: Domain
    problem: Problem
    limits: Limits
    configuration: Configuration
    alarm: Alarm
    striving: anytime.Striving
    spent: int = 0
    work: int = 0
    most: int | None = None
    overlooked: set[str] = field(default_factory=set)

    @property
    def left(self) -> int:
        limit = self.limits.evaluations
        return MOST_EVALUATIONS if limit is None else min(MOST_EVALUATIONS, limit - self.spent)

    def spend(self, task: Task, evaluations: int) -> None:
        """Count evaluations on a task."""
        self.spent += evaluations
        self.work += evaluations * max(USUAL_SIZE, task.size)

    def share(self, rung: Rung) -> int:
        """The evaluations that improvement may still use on a rung; half of them stay for the full task."""
        assert rung.task is not None
        if self.configuration.times is None:
            return self.left
        if self.most is None:
            self.most = self.work + max(LEAST_WORK, int(self.configuration.times * self.work))
        halved = self.configuration.rivals and not rung.full and self.configuration.search != "anytime"
        work = (self.most - self.work) // (2 if halved else 1)
        return min(self.left, work // max(USUAL_SIZE, rung.task.size))

    def evaluate_rung(self, rung: Rung) -> Answer | None:
        """The answer that a rung gives, or None if the next one must be asked."""
        if rung.task is None:
            return Unsolvable("the goal cannot be reached even when nothing is ever deleted") if rung.full else None
        configuration = self.configuration
        # Whatever the limit, the wider rungs get a half of it.
        allowed = self.left // 2 if rung.narrow else self.left
        if self.limits.searching is not None:
            allowed = min(allowed, self.limits.searching - self.spent)
        budget = self._budget(rung.task, min(rung.evaluations, allowed))
        with promptly():
            prepared = prepare(rung.task, configuration.at_once)
        found = self._search(prepared, budget)
        self.spend(rung.task, found.evaluations)
        self.work += GROUNDING * max(USUAL_SIZE, rung.task.size)
        if found.operators is None:
            if found.limit is None and rung.full and not found.pruned:
                return Unsolvable("the search visited all reachable states")
            if self.alarm.flag[0]:
                return OutOfLimits(self.alarm.limit or found.limit or Limit.TIME, self.spent)
            if found.limit is not None and allowed <= rung.evaluations and not rung.narrow:
                return OutOfLimits(found.limit, self.spent)
            return None
        operators: Sequence[int] = found.operators
        if configuration.improving and self.left > 0:
            self.most = None  # a tight rung before may have had a plan that is none of the problem
            operators = self._improve(rung, prepared, found, budget)
        optimal = configuration.optimal and rung.full and prepared.proven(operators)
        plan = self._plan(rung.task, operators, optimal)
        assert plan is not None or not rung.full, "the encoded task disagrees with the problem"
        if plan is None and not rung.narrow:
            from chorewright.planner.progression import objects_touched  # rarely needed

            actions = [rung.task.action(operator) for operator in operators]
            self.overlooked |= objects_touched(self.domain, self.problem, actions)
        return plan

    def _improve(self, rung: Rung, prepared: Prepared, found: SearchResult, budget: Budget) -> Sequence[int]:
        """The operators of a plan that costs no more; a limit ends this with the best one so far."""
        assert found.operators is not None
        task = prepared.task
        best: Sequence[int] = found.operators

        def hear(operators: Sequence[int]) -> None:
            nonlocal best
            if prepared.plan_cost(operators) < prepared.plan_cost(best):
                best = operators
                self.striving.hear(lambda: self._plan(task, best))

        self.striving.hear(lambda: self._plan(task, best))
        usual = self.configuration.improving // (LESS if rung.narrow else 1)
        with suppress(Stopped, OutOfMemory, LimitError, MemoryError):
            share = replace(budget, evaluations=self.share(rung))
            better = anytime.improve_among_rivals(prepared, found, self.configuration.search, usual, share, hear)
            self.spend(task, better.evaluations)
            left = share.evaluations - better.evaluations
            if self.configuration.rivals and left > 0:
                share = replace(budget, evaluations=left)
                least = int((self.configuration.times or 0.0) * found.evaluations) // 2
                self.spend(task, anytime.against_rivals(prepared, found, better, usual, share, hear, least).evaluations)
        return best

    def ask_whole(self, plan: Plan, memory: MemoryBudget) -> Plan:
        """The cheaper of a tight rung's plan and one that the full task has, found with no more evaluations."""
        with suppress(Stopped, OutOfMemory, LimitError, MemoryError):
            with promptly():
                whole = _ground_within(MODEST, self.domain, self.problem, self.alarm.flag, memory)
            if whole is None or whole.task is None or self.share(whole) <= 0:
                return plan
            budget = self._budget(whole.task, min(self.share(whole), anytime.LEAST + self.spent))
            with promptly():
                prepared = prepare(whole.task, self.configuration.at_once)
            found = self._search(prepared, budget)
            self.spend(whole.task, found.evaluations)
            if found.operators is not None:
                other = self._plan(whole.task, self._improve(whole, prepared, found, budget))
                return plan if other is None or other.cost >= plan.cost else other
        return plan

    def go_on(self, plan: Plan, rung: Rung, more: Iterator[Rung]) -> Plan:
        """Improve a plan until a limit is met or it is proven optimal."""
        assert rung.task is not None
        self.striving.hear(lambda: plan)
        search = anytime.Anytime(plan, self._budget(rung.task, self.share(rung)), self._plan, self.striving.take)
        with suppress(Stopped, OutOfMemory, LimitError, MemoryError):
            search.run(next(levels := _levels(rung, more, self.configuration.at_once)), levels)
        return replace(search.best, evaluated=self.spent + search.spent)

    def _search(self, prepared: Prepared, budget: Budget) -> SearchResult:
        c = self.configuration
        if c.search in ("astar", "wastar"):
            return prepared.search(c.search, c.heuristic, c.weight, UNBOUNDED, budget)
        return satisfice(prepared, c.search, c.heuristic, c.queues, c.weight, UNBOUNDED, budget)

    def _budget(self, task: Task, evaluations: int) -> Budget:
        return Budget(evaluations, state_limit(self.limits.megabytes, task), self.alarm.flag)

    def _plan(self, task: Task, operators: Sequence[int], optimal: bool = False) -> Plan | None:
        """The validated plan of a task's operators; None if it is none of the problem."""
        actions = tuple(task.action(o) for o in operators)
        verdict = validate(self.domain, self.problem, actions)
        made = Plan(actions, verdict.cost, NAME, str(self.configuration), optimal, self.spent)
        return made if verdict.valid else None


def _levels(first: Rung, more: Iterator[Rung], thorough: bool) -> Iterator[anytime.Level]:
    rung: Rung | None = first
    while rung is not None:
        with promptly():
            level = None if rung.task is None else anytime.Level(prepare(rung.task, thorough), rung.full)
        if level is not None:
            yield level
        with promptly():
            rung = next(more, None)


@dataclass(frozen=True, slots=True)
class LadderPlanner:
    """The planner with one configuration, behind the ``Planner`` protocol."""

    configuration: Configuration = DEFAULT
    report: anytime.Report = anytime.silent
    alarm: Alarm | None = None

    def solve(self, domain: Domain, problem: Problem, limits: Limits = UNLIMITED) -> Answer:
        """Return a plan that the validator accepts, or why there is none."""
        return solve(domain, problem, limits, self.configuration, self.report, self.alarm)


__all__ = ["DEFAULT", "OPTIMAL", "Configuration", "LadderPlanner", "ladder", "solve"]
