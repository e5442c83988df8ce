"""Other planners behind the ``Planner`` protocol: found by name, run on PDDL files, and checked.

pyperplan and Fast Downward run as processes of their own, with a fixed hash seed (pyperplan's plan depends on
it) and with limits that hold whatever the planner does. Any other name is looked up among the engines of
unified-planning. Every plan is run by our validator, which also counts its cost.
"""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from chorewright.domains.formulas import conjuncts
from chorewright.domains.pddl import write_domain, write_problem
from chorewright.domains.pddl.plain import write_plain
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
from chorewright.errors import EngineError, MissingExtra, UnsupportedError, UsageError
from chorewright.planner.plan import (
    Answer,
    GroundAction,
    Limit,
    Limits,
    OutOfLimits,
    Plan,
    Planner,
    Unsolvable,
)
from chorewright.planner.plan_files import parse_plan
from chorewright.planner.planning import NAME, FfPlanner
from chorewright.planner.validation import validate

UNLIMITED = Limits()
PYPERPLAN = "pyperplan"
FAST_DOWNWARD = "fast-downward"
MEGABYTE = 1 << 20


def find_engine(name: str) -> Planner:
    """The planner of that name: ``chorewright``, ``pyperplan``, ``fast-downward``, or unified-planning's.

    Raises:
        UsageError: nobody knows the name.
        MissingExtra: the planner is not installed.
    """
    if name == NAME:
        return FfPlanner()
    if name == PYPERPLAN:
        return Pyperplan()
    if name == FAST_DOWNWARD:
        return FastDownward()
    from chorewright.planner.engines.unified import UnifiedPlanner

    return UnifiedPlanner(name)


def checked_plan(
    domain: Domain, problem: Problem, actions: Sequence[GroundAction], planner: str, configuration: str
) -> Plan:
    """Another planner's actions as a plan, with our validator's cost.

    Raises:
        EngineError: the validator does not accept them.
    """
    verdict = validate(domain, problem, actions)
    if not verdict.valid:
        raise EngineError(f"{planner} gave a plan that is not valid: {verdict.message}")
    return Plan(tuple(actions), verdict.cost, planner, configuration)


@dataclass(frozen=True, slots=True)
class Finished:
    """How a process ended: its exit code (None if it was stopped at the time limit) and what it printed."""

    code: int | None
    output: str


def run_process(command: Sequence[str], folder: Path, limits: Limits) -> Finished:
    """Run a planner in a folder; at the time limit it and all its children are killed."""
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=limits.seconds)
        except BaseException as error:
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
            process.wait()
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            return Finished(None, "")
        return Finished(process.returncode, output)


def _refuse_evaluations(name: str, limits: Limits) -> None:
    if limits.evaluations is not None:
        raise UsageError(f"{name} cannot be limited by evaluations", hint="use a time limit")


@dataclass(frozen=True, slots=True)
class FastDownward:
    """Fast Downward from the ``up-fast-downward`` wheel, by default in its ``lama-first`` configuration.

    ``python`` is the interpreter whose environment has the wheel.
    """

    alias: str = "lama-first"
    python: str = field(default_factory=lambda: sys.executable)

    def solve(self, domain: Domain, problem: Problem, limits: Limits = UNLIMITED) -> Answer:
        """Return a plan that the validator accepts, or why there is none.

        Raises:
            MissingExtra: the wheel is not installed.
            EngineError: Fast Downward failed, or its plan is not valid.
        """
        _refuse_evaluations(FAST_DOWNWARD, limits)
        driver = fast_downward_driver(self.python)
        if driver is None:
            hint = "pip install 'chorewright[fast-downward]'"
            raise MissingExtra(f"{FAST_DOWNWARD} is not installed", hint=hint)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            command = [self.python, str(driver), "--alias", self.alias, "--plan-file", "plan"]
            if limits.megabytes is not None:
                command += ["--overall-memory-limit", f"{limits.megabytes}M"]
            _keep(folder, *write_plain(domain, problem))
            finished = run_process([*command, "domain.pddl", "problem.pddl"], folder, limits)
            found = (folder / "plan").read_text(encoding="utf-8") if (folder / "plan").exists() else None
        if finished.code in (0, 1, 2, 3) and found is not None:
            return checked_plan(domain, problem, parse_plan(found).actions, FAST_DOWNWARD, self.alias)
        if finished.code in (10, 11):
            return Unsolvable(f"{FAST_DOWNWARD} proves that there is no plan")
        if finished.code in (None, 21, 23):
            return OutOfLimits(Limit.TIME, 0)
        if finished.code in (20, 22, 24):
            return OutOfLimits(Limit.MEMORY, 0)
        message = f"{FAST_DOWNWARD} failed with exit code {finished.code}: {_last_line(finished.output)}"
        raise UnsupportedError(message) if finished.code == 34 else EngineError(message)


def fast_downward_driver(python: str = sys.executable) -> Path | None:
    """Where the driver of the ``up-fast-downward`` wheel lies in an interpreter's environment, if it does."""
    if python == sys.executable:
        spec = importlib.util.find_spec("up_fast_downward")
        folder = None if spec is None or spec.origin is None else Path(spec.origin).parent
    else:
        code = "import importlib.util as u; print(u.find_spec('up_fast_downward').origin)"
        try:
            asked = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
        except OSError:
            return None
        folder = None if asked.returncode else Path(asked.stdout.strip()).parent
    driver = None if folder is None else folder / "downward" / "fast-downward.py"
    return driver if driver is not None and driver.exists() else None


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
        _refuse_evaluations(PYPERPLAN, limits)
        refuse_beyond_strips(domain, problem)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            plain = in_plain_strips(domain, problem)
            _keep(folder, write_domain(plain[0]), write_problem(plain[1]))
            task = ["-l", "warning", "-s", self.search, "-H", self.heuristic, "domain.pddl", "problem.pddl"]
            command = [sys.executable, "-c", _LIMITED, str((limits.megabytes or 0) * MEGABYTE), *task]
            finished = run_process(command, folder, limits)
            solution = folder / "problem.pddl.soln"
            found = solution.read_text(encoding="utf-8") if solution.exists() else None
        if found is not None:
            configuration = f"{self.search}-{self.heuristic}"
            return checked_plan(domain, problem, parse_plan(found).actions, PYPERPLAN, configuration)
        if finished.code is None:
            return OutOfLimits(Limit.TIME, 0)
        if "MemoryError" in finished.output:
            return OutOfLimits(Limit.MEMORY, 0)
        if finished.code == 0:
            return Unsolvable(f"{PYPERPLAN} found that there is no plan")
        raise EngineError(f"{PYPERPLAN} failed: {_last_line(finished.output)}")


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
        raise UnsupportedError(message, hint=f"use --engine {NAME} or {FAST_DOWNWARD}, which take ADL")


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
    match effect:
        case AndEffect(effects):
            return all(_plain(part) for part in effects)
        case AddEffect() | DeleteEffect() | IncreaseCost():
            return True
        case _:
            return False


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
    def parts(effect: Effect) -> Iterator[Effect]:
        if isinstance(effect, AndEffect):
            for part in effect.effects:
                yield from parts(part)
        elif not isinstance(effect, IncreaseCost):
            yield effect

    precondition = And(conjuncts(action.precondition) or (always,))
    return replace(action, precondition=precondition, effect=AndEffect(tuple(parts(action.effect))))


def _keep(folder: Path, domain: str, problem: str) -> None:
    (folder / "domain.pddl").write_text(domain, encoding="utf-8")
    (folder / "problem.pddl").write_text(problem, encoding="utf-8")


def _last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if re.search(r"\w", line)]
    return lines[-1] if lines else "it said nothing"


__all__ = ["FastDownward", "Pyperplan", "checked_plan", "fast_downward_driver", "find_engine"]
