"""Verbs that plan and validate PDDL files."""

from __future__ import annotations

import math
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from chorewright.commands.plan_batch import Batch, describe, plan_batch, record_of
from chorewright.commands.process import age, megabytes
from chorewright.commands.shell import AsJson, folded, print_json, printable, readable, verb, write_text
from chorewright.errors import ChorewrightError, ExitCode, UsageError, render
from chorewright.files.signals import exit_code

if TYPE_CHECKING:
    from chorewright.domains.pddl.syntax import Domain, Problem
    from chorewright.planner.plan import Limits, OutOfLimits, Plan, Unsolvable
    from chorewright.planner.plan_files import PlanFile
    from chorewright.planner.validation import Verdict

COMPILING = 5.0
"""Seconds that loading kernels never takes: when it takes longer, they are compiled."""

DomainFile = Annotated[Path, typer.Argument(metavar="DOMAIN", help="A PDDL domain file.")]
ProblemFile = Annotated[Path, typer.Argument(metavar="PROBLEM", help="A PDDL problem file.")]


@verb
def plan(
    domain_file: DomainFile,
    problem_files: Annotated[list[Path], typer.Argument(metavar="PROBLEM...", help="PDDL problem files.")],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Write the plan to this file; with several problems, each to <its name>.plan in this folder.",
        ),
    ] = None,
    workers: Annotated[
        int, typer.Option("--workers", min=1, help="Processes that plan several problems at the same time.")
    ] = 1,
    time_limit: Annotated[float | None, typer.Option("--time-limit", help="Seconds; none by default.")] = None,
    memory_limit: Annotated[int | None, typer.Option("--memory-limit", help="Megabytes; none by default.")] = None,
    evaluations: Annotated[
        int | None,
        typer.Option("--evaluations", help="Heuristic evaluations: a limit that is the same anywhere."),
    ] = None,
    search: Annotated[
        str,
        typer.Option(
            "--search",
            help="greedy, ehc (enforced hill-climbing), lazy or wastar (weighted A*), astar (optimal with "
            "max, lmcut or blind), or anytime (improves until a limit, Ctrl-C, or a proof).",
        ),
    ] = "greedy",
    heuristic: Annotated[
        str | None,
        typer.Option(
            "--heuristic",
            help="ff, add, max, lmcut, goal-count or blind; max for astar by default, else ff. lazy and "
            "anytime take ff only, ehc all but blind, the others all.",
        ),
    ] = None,
    queues: Annotated[
        str,
        typer.Option(
            "--queues",
            help="Besides ff's: turns (of none and all), ff (none), goal-count, landmarks, or novelty (all).",
        ),
    ] = "turns",
    weight: Annotated[
        int | None, typer.Option("--weight", help="The heuristic's weight in lazy and wastar; 5 by default.")
    ] = None,
    improve: Annotated[
        int | None,
        typer.Option("--improve", help="Evaluations to make the plan cheaper; 4000 by default, not for astar."),
    ] = None,
    engine: Annotated[
        str,
        typer.Option(
            "--engine", help="chorewright, pyperplan, fast-downward, module:attribute, or one of unified-planning."
        ),
    ] = "chorewright",
    as_json: AsJson = False,
) -> None:
    """Find a plan, or one for each of several problems.

    Exit code 0 found, 10 there is none, 12, 22 or 23 a limit was met first. Several problems are planned by one process
    that starts once, or by --workers N. Each gets one line, or one record in a list with --json. Limits hold for each.
    A problem that fails does not stop the rest. The exit code is the worst: errors (30 and more) come before files that
    are not there (2), limits (23, 22, 12) and problems without a plan (10).
    """
    from chorewright.domains.pddl.parser import load_task
    from chorewright.planner.plan import Limits, Plan
    from chorewright.planner.planning import NAME, LadderPlanner
    from chorewright.planner.search.configuration import DEFAULT, WEIGHTED, Configuration

    limits = Limits(time_limit, memory_limit, evaluations)
    if len(problem_files) == 1 and out is not None:
        _spare(out, domain_file, *problem_files)
    if weight is not None and search not in WEIGHTED:
        raise UsageError(f"--weight is an option of --search {' and '.join(WEIGHTED)}, not of {search}")
    configuration = Configuration.usual(search, heuristic, weight, improve, queues)
    other = None
    if engine != NAME:
        from chorewright.planner.engines.lookup import find_engine

        if configuration != DEFAULT:
            message = f"--search and the options of searches are those of the engine {NAME}, not of {engine}"
            raise UsageError(message)
        other = find_engine(engine)
    if len(problem_files) > 1:
        batch = Batch(domain_file, configuration, None if other is None else engine, limits, out)
        sys.exit(plan_batch(batch, problem_files, workers, as_json))
    [problem_file] = problem_files
    domain, problem = load_task(readable(domain_file), readable(problem_file))
    outcome = _Outcome(domain, problem, out, as_json)
    planner = LadderPlanner(configuration, outcome.better) if other is None else other
    try:
        left = _left(limits, own=other is None)
        answer = planner.solve(domain, problem, left) if isinstance(left, Limits) else left
    except KeyboardInterrupt as stop:
        if outcome.best is None:
            raise
        outcome.show(outcome.best, "interrupted")
        sys.exit(exit_code(stop))
    if isinstance(answer, Plan):
        outcome.show(answer, "solved")
    else:
        outcome.explain(problem_file, answer, limits, searched=isinstance(left, Limits))


def _left(limits: Limits, own: bool) -> Limits | OutOfLimits:
    """What is left of the user's limits, which are the whole process's: it has started, and read files.

    Compiling the kernels, once after an installation, takes none of the time. The memory of other engines
    (``own`` is False) is counted by themselves.
    """
    from chorewright.planner.plan import Limit, OutOfLimits

    if limits.seconds is not None and age() >= limits.seconds:
        return OutOfLimits(Limit.TIME, 0)
    compiling = 0.0
    if own and (limits.seconds is not None or limits.megabytes is not None):
        from chorewright.planner.warming import ensure_compiled, warm

        before = time.monotonic()
        (ensure_compiled if limits.megabytes is None else warm)()  # loaded kernels take memory
        compiling = time.monotonic() - before
    if limits.seconds is not None:
        seconds = limits.seconds - age() + (compiling if compiling > COMPILING else 0)
        if seconds <= 0:
            return OutOfLimits(Limit.TIME, 0)
        limits = replace(limits, seconds=seconds)
    if own and limits.megabytes is not None:
        free = limits.megabytes - megabytes()
        if free <= 0:
            return OutOfLimits(Limit.MEMORY, 0)
        limits = replace(limits, megabytes=free)
    return limits


@dataclass(slots=True)
class _Outcome:
    """What ``plan`` writes: better plans as they come, to the file if there is one, and the answer."""

    domain: Domain
    problem: Problem
    out: Path | None
    as_json: bool
    best: Plan | None = None

    def better(self, plan: Plan) -> None:
        """Keep a plan that anytime search has just found."""
        self.best = plan
        if self.out is not None:
            write_text(self.out, self.text(plan))
        print(f"{len(plan.actions)} steps, cost {plan.cost:g}", file=sys.stderr, flush=True)

    def text(self, plan: Plan) -> str:
        from chorewright.planner.plan_files import write_plan

        return write_plan(plan.actions, plan.cost, self.domain, self.problem)

    def show(self, plan: Plan, status: str) -> None:
        """Print a plan, or write it to its file."""
        if self.out is not None:
            write_text(self.out, self.text(plan))
        if self.as_json:
            print_json(record_of(plan, status))
        elif self.out is None:
            print(printable(self.text(plan)), end="")
        else:
            print(printable(f"{self.out}: {len(plan.actions)} steps, cost {plan.cost:g}"))

    def explain(self, problem_file: Path, answer: Unsolvable | OutOfLimits, limits: Limits, searched: bool) -> NoReturn:
        """Say why there is no plan, and exit; a limit may have been met before anything was ``searched``."""
        began = f"starting, reading the files and loading the planner took {age():.2f} s"
        status, reason, code = describe(answer, limits, None if searched else began)
        if self.as_json:
            print_json({"status": status, "reason": reason})
        else:
            print(folded(f"{problem_file}: {status}: {reason}"), file=sys.stderr)
        sys.exit(int(code))


@verb
def validate(
    domain_file: DomainFile,
    problem_file: ProblemFile,
    plan_files: Annotated[list[Path], typer.Argument(metavar="PLAN...", help="Plan files.")],
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show what each step changes.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check plans step by step. Exit code 1 if any is invalid, 2 if any is not there, 31 if malformed."""
    from chorewright.domains.pddl.parser import load_task
    from chorewright.planner.plan_files import read_plan
    from chorewright.planner.trace import changes, record, shown
    from chorewright.planner.validation import validate as check

    domain, problem = load_task(readable(domain_file), readable(problem_file))
    code = ExitCode.OK
    results: list[dict[str, object]] = []
    for path in plan_files:
        result: dict[str, object] = {"plan": str(path)}
        try:
            given = read_plan(readable(path))
            verdict = check(domain, problem, given.actions)
        except ChorewrightError as error:
            code = max(code, error.exit_code)
            result.update(status="unreadable", message=str(error))
            print(printable(render(error)), file=sys.stderr)
        else:
            status = "valid" if verdict.valid else "invalid"
            result.update(status=status, cost=verdict.cost, step=verdict.step)
            result.update(unmet=list(verdict.unmet), message=verdict.message)
            result.update(warnings=_contradictions(given, domain, problem, verdict))
            for warning in _contradictions(given, domain, problem, verdict):
                print(folded(f"{path}: warning: {warning}"), file=sys.stderr)
            if not verdict.valid:
                code = max(code, ExitCode.NEGATIVE)
            trace = tuple(changes(domain, problem, given.actions)) if verbose else ()
            if verbose:
                result["trace"] = [record(change) for change in trace]
            if not as_json:
                for change in trace:
                    print(printable("\n".join(shown(change))))
                if verdict.valid:
                    print(printable(f"{path}: valid: cost {verdict.cost:g}"))
                else:
                    print(folded(f"{path}: invalid: {verdict.message}"))
        results.append(result)
    if as_json:
        print_json(results)
    sys.exit(int(code))


def _spare(out: Path, *inputs: Path) -> None:
    """Refuse to write over what is read."""
    for path in inputs:
        with suppress(OSError, ValueError):
            if out.samefile(path):
                raise UsageError(f"the plan would overwrite {path}", hint="give --out the name of another file")


def _contradictions(given: PlanFile, domain: Domain, problem: Problem, verdict: Verdict) -> list[str]:
    """Return what a plan file says of itself that is not so."""
    found = []
    for what, said, name in (("domain", given.domain, domain.name), ("problem", given.problem, problem.name)):
        if said is not None and said != name.lower():
            found.append(f"the file says that its {what} is '{said}', not '{name}'")
    if given.cost is not None and verdict.valid and not math.isclose(given.cost, verdict.cost, abs_tol=1e-6):
        found.append(f"the file says that the cost is {given.cost:g}, but it is {verdict.cost:g}")
    return found
