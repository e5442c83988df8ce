"""pyperplan as an engine: STRIPS only, in a process of its own."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from chorewright.domains.formulas import conjuncts
from chorewright.domains.pddl import write_domain, write_problem
from chorewright.domains.pddl.subformulas import simple_effects
from chorewright.domains.pddl.syntax import (
    Action,
    AddEffect,
    And,
    AndEffect,
    Atom,
    DeleteEffect,
    Domain,
    Effect,
    IncreaseCost,
    Problem,
    Signature,
)
from chorewright.errors import EngineError, UnsupportedError
from chorewright.planner.engines.running import check_plan, last_line, refuse_evaluations, run_process, write_task
from chorewright.planner.plan import UNLIMITED, Answer, Limit, Limits, OutOfLimits, Unsolvable
from chorewright.planner.plan_files import parse_plan

PYPERPLAN = "pyperplan"
MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Pyperplan:
    """pyperplan: STRIPS with types and constants. Action costs are left out of what it is given."""

    search: str = "gbf"
    heuristic: str = "hff"

    def solve(self, domain: Domain, problem: Problem, limits: Limits = UNLIMITED) -> Answer:
        """Return a plan that the validator accepts, or why there is none.

        Raises:
            UnsupportedError: the problem is not STRIPS.
            EngineError: pyperplan failed, or its plan is not valid.
        """
        refuse_evaluations(PYPERPLAN, limits)
        refuse_beyond_strips(domain, problem)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            plain = in_plain_strips(domain, problem)
            write_task(folder, write_domain(plain[0]), write_problem(plain[1]))
            task = ["-l", "warning", "-s", self.search, "-H", self.heuristic, "domain.pddl", "problem.pddl"]
            command = [sys.executable, "-c", _LIMITED, str((limits.megabytes or 0) * MEGABYTE), *task]
            finished = run_process(command, folder, limits)
            solution = folder / "problem.pddl.soln"
            found = solution.read_text(encoding="utf-8") if solution.exists() else None
        if found is not None:
            configuration = f"{self.search}-{self.heuristic}"
            return check_plan(domain, problem, parse_plan(found).actions, PYPERPLAN, configuration)
        if finished.code is None:
            return OutOfLimits(Limit.TIME, 0)
        if "MemoryError" in finished.output:
            return OutOfLimits(Limit.MEMORY, 0)
        if finished.code == 0:
            return Unsolvable(f"{PYPERPLAN} found that there is no plan")
        raise EngineError(f"{PYPERPLAN} failed: {last_line(finished.output)}")


_LIMITED = """
import resource, sys
size = int(sys.argv.pop(1))
if size:
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
from pyperplan.__main__ import main
main()
"""


def refuse_beyond_strips(domain: Domain, problem: Problem) -> None:
    """Check that a problem uses nothing beyond STRIPS, types, constants and action costs.

    Raises:
        UnsupportedError: names the first thing that it uses, and where.
    """
    reason = next(_beyond_strips(domain, problem), None)
    if reason is not None:
        message = f"{PYPERPLAN} plans in STRIPS only, but {reason}"
        raise UnsupportedError(message, hint="use --engine chorewright or fast-downward, which take ADL")


def _beyond_strips(domain: Domain, problem: Problem) -> Iterator[str]:
    for axiom in domain.axioms:
        yield f"'{axiom.head.name}' is a derived predicate"
    parameters = [parameter for predicate in domain.predicates for parameter in predicate.parameters]
    parameters += [parameter for action in domain.actions for parameter in action.parameters]
    for entry in (*domain.constants, *problem.objects, *parameters):
        if len(entry.types) > 1:
            yield f"'{entry.name}' has one of several types (either)"
    for action in domain.actions:
        if any(not isinstance(part, Atom) for part in conjuncts(action.precondition)):
            yield f"the precondition of '{action.name}' is not a conjunction of atoms"
        if not _plain(action.effect):
            yield f"'{action.name}' has conditional or quantified effects"
    if any(not isinstance(part, Atom) for part in conjuncts(problem.goal)):
        yield "the goal is not a conjunction of atoms"


def _plain(effect: Effect) -> bool:
    if isinstance(effect, AndEffect):
        return all(map(_plain, effect.effects))
    return isinstance(effect, AddEffect | DeleteEffect | IncreaseCost)


def in_plain_strips(domain: Domain, problem: Problem) -> tuple[Domain, Problem]:
    """The same task as pyperplan reads it: no costs, and a true atom where a condition would be empty."""
    truth = "true"
    while any(predicate.name == truth for predicate in domain.predicates):
        truth += "-"
    always = Atom(truth, ())
    kept = tuple(requirement for requirement in domain.requirements if requirement in (":strips", ":typing"))
    plain = replace(
        domain,
        requirements=kept,
        functions=(),
        predicates=(*domain.predicates, Signature(truth, ())),
        actions=tuple(_plain_action(action, always) for action in domain.actions),
    )
    goal = And(conjuncts(problem.goal) or (always,))
    init = (*problem.init, (truth,))
    return plain, replace(problem, init=init, goal=goal, values=(), minimize_cost=False)


def _plain_action(action: Action, always: Atom) -> Action:
    parts = tuple(each for each in simple_effects(action.effect) if not isinstance(each, IncreaseCost))
    return replace(action, precondition=And(conjuncts(action.precondition) or (always,)), effect=AndEffect(parts))


__all__ = ["PYPERPLAN", "Pyperplan", "in_plain_strips", "refuse_beyond_strips"]
