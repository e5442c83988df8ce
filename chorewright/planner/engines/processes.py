"""Planners in processes of their own: pyperplan (STRIPS only) and Fast Downward, within limits, their plans checked.

Processes have a fixed hash seed, since some planners' plans depend on it.
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
from chorewright.domains.pddl import syntax, write_domain, write_problem
from chorewright.domains.pddl.plain import write_plain
from chorewright.domains.pddl.subformulas import simple_effects
from chorewright.errors import EngineError, MissingExtra, UnsupportedError, UsageError
from chorewright.files.plugins import pip_install
from chorewright.files.stopping import Limit
from chorewright.planner.durative_validation import validate_plan
from chorewright.planner.plan import UNLIMITED, Answer, GroundAction, Limits, OutOfLimits, Plan, TimedStep, Unsolvable
from chorewright.planner.plan_files import PlanFile, parse_plan


def check_plan(
    domain: syntax.Domain,
    problem: syntax.Problem,
    steps: Sequence[GroundAction | TimedStep],
    planner: str,
    configuration: str,
) -> Plan:
    """Another planner's actions as a plan, with our validator's cost.

    Args:
        domain: The domain.
        problem: The problem.
        steps: What the planner has found, with times where they matter.
        planner: Its name.
        configuration: How it searched.

    Raises:
        EngineError: the validator does not accept them.
    """
    file = file_of(steps)
    verdict = validate_plan(domain, problem, file)
    if not verdict.valid:
        raise EngineError(f"{planner} gave a plan that is not valid: {verdict.message}")
    schedule = file.steps if any(isinstance(step, TimedStep) for step in steps) else ()
    return Plan(file.actions, verdict.cost, planner, configuration, schedule=schedule)


def file_of(steps: Sequence[GroundAction | TimedStep]) -> PlanFile:
    """Return steps as a plan file has them; one without a time has its number as time."""
    return PlanFile(tuple(s if isinstance(s, TimedStep) else TimedStep(n, s) for n, s in enumerate(steps, 1)))


@dataclass(frozen=True, slots=True)
class Finished:
    """How a process ended: its exit code (None if it was stopped at the time limit) and what it printed."""

    code: int | None
    output: str


def run_process(command: Sequence[str], folder: Path, limits: Limits) -> Finished:
    """Run a planner in a folder; at the time limit it and all its children are killed.

    Args:
        command: The program and its arguments.
        folder: Where it runs.
        limits: Of these, the seconds.

    Raises:
        OSError: the program cannot be started.
    """
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


def refuse_evaluations(name: str, limits: Limits) -> None:
    """Refuse a limit that only our own planner keeps.

    Raises:
        UsageError: There is one.
    """
    if limits.evaluations is not None:
        raise UsageError(f"{name} cannot be limited by evaluations", hint="use a time limit")


def write_task(folder: Path, domain: str, problem: str) -> None:
    """Write ``domain.pddl`` and ``problem.pddl`` into a folder."""
    (folder / "domain.pddl").write_text(domain, encoding="utf-8")
    (folder / "problem.pddl").write_text(problem, encoding="utf-8")


def last_line(output: str) -> str:
    """Return the last line with words of what a process has said."""
    lines = [line.strip() for line in output.splitlines() if re.search(r"\w", line)]
    return lines[-1] if lines else "it said nothing"


# pyperplan as an engine: STRIPS only, in a process of its own.


PYPERPLAN = "pyperplan"
MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Pyperplan:
    """pyperplan: STRIPS with types and constants. Action costs are left out of what it is given."""

    search: str = "gbf"
    heuristic: str = "hff"

    def solve(self, domain: syntax.Domain, problem: syntax.Problem, limits: Limits = UNLIMITED) -> Answer:
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


def refuse_beyond_strips(domain: syntax.Domain, problem: syntax.Problem) -> None:
    """Check that a problem uses nothing beyond STRIPS, types, constants and action costs.

    Raises:
        UnsupportedError: names the first thing that it uses, and where.
    """
    reason = next(_beyond_strips(domain, problem), None)
    if reason is not None:
        message = f"{PYPERPLAN} plans in STRIPS only, but {reason}"
        raise UnsupportedError(message, hint="use --engine chorewright or fast-downward, which take ADL")


def _beyond_strips(domain: syntax.Domain, problem: syntax.Problem) -> Iterator[str]:
    for axiom in domain.axioms:
        yield f"'{axiom.head.name}' is a derived predicate"
    parameters = [parameter for predicate in domain.predicates for parameter in predicate.parameters]
    parameters += [parameter for action in domain.actions for parameter in action.parameters]
    for entry in (*domain.constants, *problem.objects, *parameters):
        if len(entry.types) > 1:
            yield f"'{entry.name}' has one of several types (either)"
    for action in domain.actions:
        if any(not isinstance(part, syntax.Atom) for part in conjuncts(action.precondition)):
            yield f"the precondition of '{action.name}' is not a conjunction of atoms"
        if not _plain(action.effect):
            yield f"'{action.name}' has conditional or quantified effects"
    if any(not isinstance(part, syntax.Atom) for part in conjuncts(problem.goal)):
        yield "the goal is not a conjunction of atoms"


def _plain(effect: syntax.Effect) -> bool:
    if isinstance(effect, syntax.AndEffect):
        return all(map(_plain, effect.effects))
    return isinstance(effect, syntax.AddEffect | syntax.DeleteEffect | syntax.IncreaseCost)


def in_plain_strips(domain: syntax.Domain, problem: syntax.Problem) -> tuple[syntax.Domain, syntax.Problem]:
    """The same task as pyperplan reads it: no costs, and a true atom where a condition would be empty."""
    truth = "true"
    while any(predicate.name == truth for predicate in domain.predicates):
        truth += "-"
    always = syntax.Atom(truth, ())
    kept = tuple(requirement for requirement in domain.requirements if requirement in (":strips", ":typing"))
    plain = replace(
        domain,
        requirements=kept,
        functions=(),
        predicates=(*domain.predicates, syntax.Signature(truth, ())),
        actions=tuple(_plain_action(action, always) for action in domain.actions),
    )
    goal = syntax.And(conjuncts(problem.goal) or (always,))
    init = (*problem.init, (truth,))
    return plain, replace(problem, init=init, goal=goal, values=(), minimize_cost=False)


def _plain_action(action: syntax.Action, always: syntax.Atom) -> syntax.Action:
    parts = tuple(each for each in simple_effects(action.effect) if not isinstance(each, syntax.IncreaseCost))
    return replace(
        action, precondition=syntax.And(conjuncts(action.precondition) or (always,)), effect=syntax.AndEffect(parts)
    )


# Fast Downward as an engine: its driver from the ``up-fast-downward`` wheel, in a process of its own.


FAST_DOWNWARD = "fast-downward"


@dataclass(frozen=True, slots=True)
class FastDownward:
    """Fast Downward from the ``up-fast-downward`` wheel, by default in its ``lama-first`` configuration.

    ``python`` is the interpreter whose environment has the wheel.
    """

    alias: str = "lama-first"
    python: str = field(default_factory=lambda: sys.executable)

    def solve(self, domain: syntax.Domain, problem: syntax.Problem, limits: Limits = UNLIMITED) -> Answer:
        """Return a plan that the validator accepts, or why there is none.

        Raises:
            MissingExtra: the wheel is not installed.
            EngineError: Fast Downward failed, or its plan is not valid.
        """
        refuse_evaluations(FAST_DOWNWARD, limits)
        driver = fast_downward_driver(self.python)
        if driver is None:
            hint = pip_install("fast-downward")
            raise MissingExtra(f"{FAST_DOWNWARD} is not installed", hint=hint)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            command = [self.python, str(driver), "--alias", self.alias, "--plan-file", "plan"]
            if limits.megabytes is not None:
                command += ["--overall-memory-limit", f"{limits.megabytes}M"]
            write_task(folder, *write_plain(domain, problem))
            finished = run_process([*command, "domain.pddl", "problem.pddl"], folder, limits)
            found = (folder / "plan").read_text(encoding="utf-8") if (folder / "plan").exists() else None
        if finished.code in (0, 1, 2, 3) and found is not None:
            return check_plan(domain, problem, parse_plan(found).actions, FAST_DOWNWARD, self.alias)
        if finished.code in (10, 11):
            return Unsolvable(f"{FAST_DOWNWARD} proves that there is no plan")
        if finished.code in (None, 21, 23):
            return OutOfLimits(Limit.TIME, 0)
        if finished.code in (20, 22, 24):
            return OutOfLimits(Limit.MEMORY, 0)
        message = f"{FAST_DOWNWARD} failed with exit code {finished.code}: {last_line(finished.output)}"
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
