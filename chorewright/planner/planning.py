"""The planner: from a domain and a problem to a validated plan, or why there is none.

A ladder of tasks, from the objects that the goal seems to need up to the full task. The first rungs get small
budgets; every plan is run by the validator on the problem itself; only the full rung may say that there is no
plan. With the same problem and configuration the answer is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.pddl.parser import parse_domain, parse_problem
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import LimitError, UsageError
from chorewright.planner.derivation import Stopped
from chorewright.planner.extent import most_actions
from chorewright.planner.grounding import ground
from chorewright.planner.improvement import improve
from chorewright.planner.plan import Answer, Limit, Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.portfolio import QUEUES, greedy
from chorewright.planner.relevance import Unreachable, relevant_objects
from chorewright.planner.room import AMPLE, OutOfRoom, Room
from chorewright.planner.search import ADMISSIBLE, HEURISTICS, UNBOUNDED, Alarm, Budget, prepare, state_limit
from chorewright.planner.task import Task
from chorewright.planner.validation import validate

NAME = "chorewright"
MOST_EVALUATIONS = 1 << 40
MOST_WEIGHT = 1000
SMALL = 20_000
"""Ground actions of a task that is searched in full at once: tight rungs may miss what cheap plans use."""

UNLIMITED = Limits()


@dataclass(frozen=True, slots=True)
class Configuration:
    """How to search.

    ``search`` is ``greedy`` (lazy, with preferred operators; the heuristic is then ``ff``), ``astar`` or
    ``wastar`` (weighted by ``weight``). ``improve`` is how many evaluations may go into making a greedy plan
    cheaper (0: none). ``queues`` of greedy search are those of ``portfolio.QUEUES``. ``rungs`` are the
    evaluation budgets of the tight rungs; () goes to the full task at once.
    """

    search: str = "greedy"
    heuristic: str = "ff"
    weight: int = 1
    improve: int = 4000
    rungs: tuple[int, ...] = (44_000, 44_000)
    queues: str = "turns"

    def __post_init__(self) -> None:
        if self.search not in ("greedy", "astar", "wastar"):
            raise UsageError(f"unknown search '{self.search}'", hint="one of greedy, astar, wastar")
        if self.heuristic not in HEURISTICS:
            raise UsageError(f"unknown heuristic '{self.heuristic}'", hint=f"one of {', '.join(HEURISTICS)}")
        if self.search == "greedy" and self.heuristic != "ff":
            raise UsageError("greedy search is led by the ff heuristic", hint="use wastar for others")
        if self.queues not in QUEUES:
            raise UsageError(f"unknown queues '{self.queues}'", hint=f"one of {', '.join(QUEUES)}")
        if not 1 <= self.weight <= MOST_WEIGHT:
            raise UsageError(f"the weight must be from 1 to {MOST_WEIGHT}, but is {self.weight}")
        if self.weight != 1 and self.search != "wastar":
            raise UsageError(f"{self.search} search has no weight", hint="use wastar")

    @property
    def optimal(self) -> bool:
        """Whether plans found on the full task are optimal."""
        return self.search == "astar" and self.heuristic in ADMISSIBLE

    def __str__(self) -> str:
        parts = [self.search, self.heuristic]
        if self.search == "wastar":
            parts.append(f"w{self.weight}")
        if self.search == "greedy":
            parts.append(f"improve{self.improve}")
        return "-".join(parts)


DEFAULT = Configuration()
OPTIMAL = Configuration(search="astar", heuristic="max", improve=0, rungs=())


@dataclass(frozen=True, slots=True)
class Rung:
    """A ground task of the ladder, its evaluation budget, and whether it is the full one."""

    task: Task | None
    evaluations: int
    full: bool


def ladder(
    domain: Domain,
    problem: Problem,
    configuration: Configuration,
    stop: NDArray[np.int64],
    memory: Room = AMPLE,
) -> Iterator[Rung]:
    """Ground tasks from tight to full; tight ones for which there is no room are left out.

    Raises:
        Stopped: it was stopped.
        OutOfRoom, LimitError: the full task is too large.
    """
    before: frozenset[str] | None = None
    everything = frozenset(o.name for o in (*domain.constants, *problem.objects))
    budgets = configuration.rungs
    if configuration.optimal or most_actions(domain, problem) <= SMALL:
        budgets = ()
    for level, budget in enumerate(budgets):
        try:
            keep = relevant_objects(domain, problem, level, stop, memory)
            if keep is None or keep in (before, everything):
                continue
            before = keep
            task = ground(domain, problem, keep, stop, memory)
        except Unreachable:
            yield Rung(None, 0, True)
            return
        except (OutOfRoom, LimitError):
            continue
        yield Rung(task, budget, False)
    yield Rung(ground(domain, problem, None, stop, memory), MOST_EVALUATIONS, True)


_TINY_DOMAIN = """(define (domain tiny) (:requirements :adl :action-costs)
 (:predicates (at ?x) (next ?x ?y) (lit ?x)) (:functions (total-cost) - number)
 (:action go :parameters (?x ?y) :precondition (and (at ?x) (next ?x ?y) (not (at ?y)))
  :effect (and (at ?y) (not (at ?x)) (when (lit ?x) (lit ?y)) (increase (total-cost) 2)))
 (:action light :parameters (?x) :precondition (at ?x) :effect (and (lit ?x) (increase (total-cost) 1))))"""
_TINY_PROBLEM = """(define (problem tiny) (:domain tiny) (:objects a b c)
 (:init (at a) (next a b) (next b c) (next c a)) (:goal (and (at c) (exists (?x) (lit ?x)) (not (lit a))))
 (:metric minimize (total-cost)))"""


@cache
def warm(configuration: Configuration) -> None:
    """Compile the kernels that a configuration uses, or load them if they have been, on a tiny task."""
    domain = parse_domain(_TINY_DOMAIN)
    solve(domain, parse_problem(_TINY_PROBLEM, domain), UNLIMITED, configuration)


def solve(
    domain: Domain, problem: Problem, limits: Limits = UNLIMITED, configuration: Configuration = DEFAULT
) -> Answer:
    """Solve a problem. The clock starts when the kernels have been compiled or loaded.

    Raises:
        LimitError: the problem is too large to ground, and there is no memory limit.
    """
    if limits.seconds is not None:
        warm(configuration)
    with Alarm(limits.seconds) as alarm:
        progress = _Progress(domain, problem, limits, configuration, alarm.flag)
        try:
            for rung in ladder(domain, problem, configuration, alarm.flag, Room(limits.megabytes)):
                answer = progress.climb(rung)
                if answer is not None:
                    return answer
        except Stopped:
            return OutOfLimits(Limit.TIME, progress.spent)
        except (OutOfRoom, MemoryError):
            return OutOfLimits(Limit.MEMORY, progress.spent)
    raise AssertionError("the ladder has no full rung")


@dataclass(slots=True)
class _Progress:
    """What is given and what has been spent while the ladder is climbed."""

    domain: Domain
    problem: Problem
    limits: Limits
    configuration: Configuration
    stop: NDArray[np.int64]
    spent: int = 0

    def climb(self, rung: Rung) -> Answer | None:
        """The answer that a rung gives, or None if the next one must be asked."""
        if rung.task is None:
            if rung.full:
                return Unsolvable("the goal cannot be reached even when nothing is ever deleted")
            return None
        configuration = self.configuration
        limit = self.limits.evaluations
        allowed = MOST_EVALUATIONS if limit is None else limit - self.spent
        budget = Budget(
            min(rung.evaluations, allowed), state_limit(self.limits.megabytes, rung.task), self.stop
        )
        prepared = prepare(rung.task)
        if configuration.search == "greedy":
            found = greedy(prepared, configuration.queues, UNBOUNDED, budget)
        else:
            found = prepared.search(
                configuration.search, configuration.heuristic, configuration.weight, UNBOUNDED, budget
            )
        self.spent += found.evaluations
        if found.operators is None:
            if found.limit is None and rung.full and not found.pruned:
                return Unsolvable("the search visited all reachable states")
            if found.limit is not None and (rung.full or allowed <= rung.evaluations or self.stop[0]):
                return OutOfLimits(found.limit, self.spent)
            return None
        operators = found.operators
        if configuration.search == "greedy" and configuration.improve:
            share = replace(budget, evaluations=min(configuration.improve, allowed - found.evaluations))
            better = improve(prepared, operators, share, found.evaluations)
            self.spent += better.evaluations
            operators = better.operators or operators
        actions = tuple(rung.task.action(o) for o in operators)
        verdict = validate(self.domain, self.problem, actions)
        if verdict.valid:
            optimal = configuration.optimal and rung.full and prepared.proven(operators)
            return Plan(actions, verdict.cost, NAME, str(configuration), optimal, self.spent)
        if rung.full:
            raise AssertionError(f"the encoded task disagrees with the problem: {verdict.message}")
        return None


@dataclass(frozen=True, slots=True)
class FfPlanner:
    """The planner with one configuration, behind the ``Planner`` protocol."""

    configuration: Configuration = DEFAULT

    def solve(self, domain: Domain, problem: Problem, limits: Limits = UNLIMITED) -> Answer:
        """Return a plan that the validator accepts, or why there is none."""
        return solve(domain, problem, limits, self.configuration)


__all__ = ["DEFAULT", "OPTIMAL", "Configuration", "FfPlanner", "ladder", "solve"]
