"""Verbs that plan and validate PDDL files."""

from __future__ import annotations

import math
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands.shell import AsJson, print_json, printable, readable, verb, write_text
from chorewright.errors import ChorewrightError, ExitCode, UsageError, render

if TYPE_CHECKING:
    from chorewright.domains.pddl.syntax import Domain, Problem
    from chorewright.planner.plan_files import PlanFile
    from chorewright.planner.validation import Verdict

DomainFile = Annotated[Path, typer.Argument(metavar="DOMAIN", help="A PDDL domain file.")]
ProblemFile = Annotated[Path, typer.Argument(metavar="PROBLEM", help="A PDDL problem file.")]


@verb
def plan(
    domain_file: DomainFile,
    problem_file: ProblemFile,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the plan to this file.")] = None,
    time_limit: Annotated[float | None, typer.Option("--time-limit", help="Seconds.")] = None,
    memory_limit: Annotated[int | None, typer.Option("--memory-limit", help="Megabytes.")] = None,
    evaluations: Annotated[
        int | None,
        typer.Option("--evaluations", help="Heuristic evaluations: a limit that is the same anywhere."),
    ] = None,
    search: Annotated[str, typer.Option("--search", help="greedy, astar or wastar.")] = "greedy",
    heuristic: Annotated[
        str | None,
        typer.Option("--heuristic", help="ff, max, blind ...; ff for greedy, max for astar by default."),
    ] = None,
    weight: Annotated[
        int | None, typer.Option("--weight", help="The heuristic's weight in wastar; 5 by default.")
    ] = None,
    engine: Annotated[
        str,
        typer.Option("--engine", help="chorewright, pyperplan, fast-downward, or one of unified-planning."),
    ] = "chorewright",
    as_json: AsJson = False,
) -> None:
    """Find a plan. Exit code 0 found, 10 there is none, 12, 22 or 23 a limit was met first."""
    started = time.monotonic()  # the limit is the user's time: reading and loading count too
    from chorewright.domains.pddl.parser import load_domain, load_problem
    from chorewright.planner.plan import Limits, Plan, Planner, Unsolvable
    from chorewright.planner.plan_files import write_plan
    from chorewright.planner.planning import NAME, Configuration, FfPlanner

    limits = Limits(time_limit, memory_limit, evaluations)
    if out is not None:
        _spare(out, domain_file, problem_file)
    if heuristic is None:
        heuristic = "max" if search == "astar" else "ff"
    improve = 4000 if search == "greedy" else 0
    if weight is None:
        weight = 5 if search == "wastar" else 1
    elif search != "wastar":
        raise UsageError(f"--weight is an option of --search wastar, not of {search}")
    configuration = Configuration(search, heuristic, weight, improve)
    planner: Planner = FfPlanner(configuration)
    if engine != NAME:
        from chorewright.planner.engines import find_engine

        if configuration != Configuration():
            message = f"--search, --heuristic and --weight are options of the engine {NAME}, not of {engine}"
            raise UsageError(message)
        planner = find_engine(engine)
    domain = load_domain(readable(domain_file))
    problem = load_problem(readable(problem_file), domain)
    if time_limit is not None:
        left = max(0.01, time_limit - (time.monotonic() - started))
        limits = replace(limits, seconds=min(time_limit, left))
    answer = planner.solve(domain, problem, limits)
    if isinstance(answer, Plan):
        text = write_plan(answer.actions, answer.cost, domain, problem)
        if out is not None:
            write_text(out, text)
        if as_json:
            print_json(
                {
                    "status": "solved",
                    "cost": answer.cost,
                    "steps": len(answer.actions),
                    "optimal": answer.optimal,
                    "planner": answer.planner,
                    "configuration": answer.configuration,
                    "evaluated": answer.evaluated,
                    "plan": [str(action) for action in answer.actions],
                }
            )
        elif out is None:
            print(printable(text), end="")
        else:
            print(printable(f"{out}: {len(answer.actions)} steps, cost {answer.cost:g}"))
        return
    if isinstance(answer, Unsolvable):
        status, reason, code = "unsolvable", answer.reason, ExitCode.UNSOLVABLE
    else:
        status = f"out of {answer.limit.value}"
        within = {
            "time": f"{time_limit:g} s" if time_limit is not None else "the time limit",
            "memory": f"{memory_limit} MB" if memory_limit is not None else "the machine's memory",
        }.get(answer.limit.value, f"{evaluations} evaluations")
        spent = f" ({answer.evaluated} evaluations)" if answer.limit.value != "evaluations" else ""
        reason = f"no plan was found within {within}{spent}"
        codes = {"time": ExitCode.OUT_OF_TIME, "memory": ExitCode.OUT_OF_MEMORY}
        code = codes.get(answer.limit.value, ExitCode.INCOMPLETE)
    if as_json:
        print_json({"status": status, "reason": reason})
    else:
        print(printable(f"{problem_file}: {status}: {reason}"), file=sys.stderr)
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
    from chorewright.domains.pddl.parser import load_domain, load_problem
    from chorewright.planner.plan_files import read_plan
    from chorewright.planner.trace import changes, record, shown
    from chorewright.planner.validation import validate as check

    domain = load_domain(readable(domain_file))
    problem = load_problem(readable(problem_file), domain)
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
                print(printable(f"{path}: warning: {warning}"), file=sys.stderr)
            if not verdict.valid:
                code = max(code, ExitCode.NEGATIVE)
            trace = tuple(changes(domain, problem, given.actions)) if verbose else ()
            if verbose:
                result["trace"] = [record(change) for change in trace]
            if not as_json:
                for change in trace:
                    print(printable("\n".join(shown(change))))
                reason = f"cost {verdict.cost:g}" if verdict.valid else verdict.message
                print(printable(f"{path}: {status}: {reason}"))
        results.append(result)
    if as_json:
        print_json(results)
    sys.exit(int(code))


def _spare(out: Path, *inputs: Path) -> None:
    """Refuse to write over what is read."""
    for path in inputs:
        with suppress(OSError, ValueError):
            if out.samefile(path):
                raise UsageError(
                    f"the plan would overwrite {path}", hint="give --out the name of another file"
                )


def _contradictions(given: PlanFile, domain: Domain, problem: Problem, verdict: Verdict) -> list[str]:
    """Return what a plan file says of itself that is not so."""
    found = []
    for what, said, name in (("domain", given.domain, domain.name), ("problem", given.problem, problem.name)):
        if said is not None and said != name.lower():
            found.append(f"the file says that it is for the {what} '{said}', but this is '{name}'")
    if given.cost is not None and verdict.valid and not math.isclose(given.cost, verdict.cost, abs_tol=1e-6):
        found.append(f"the file says that the cost is {given.cost:g}, but it is {verdict.cost:g}")
    return found
