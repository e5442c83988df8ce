"""The verb ``validate``: plans checked step by step."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands.checking import STANDARD_INPUT
from chorewright.commands.planning import DomainFile, ProblemFile
from chorewright.commands.reports import Finding, Format, ReportFormat, choose_format, findings_of, report
from chorewright.commands.shell import AsJson, fold, print_json, printable, readable, show_error, verb
from chorewright.errors import ChorewrightError, ExitCode
from chorewright.files.text import decode, read_text

if TYPE_CHECKING:
    from chorewright.domains.pddl.syntax import Domain, Problem
    from chorewright.planner.plan_files import PlanFile
    from chorewright.planner.validation import Verdict


@verb
def validate(
    domain_file: DomainFile,
    problem_file: ProblemFile,
    plan_files: Annotated[list[Path], typer.Argument(metavar="PLAN...", help="Plan files, or - for standard input.")],
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show what each step changes.")] = False,
    wanted: ReportFormat = Format.TEXT,
    as_json: AsJson = False,
) -> None:
    """Check plans step by step. Exit code 1 if any is invalid, 2 if any is not there, 31 if malformed.

    In a domain with durative actions, plans are lines `TIME: (ACTION OBJECT ...) [DURATION]`.
    """
    from chorewright.domains.pddl.parser import load_task

    form = choose_format(wanted, as_json)
    names = [str(path) for path in plan_files]
    try:
        domain, problem = load_task(readable(domain_file), readable(problem_file))
    except ChorewrightError as error:
        if form in (Format.TEXT, Format.JSON):
            raise
        report(findings_of(error, str(problem_file)), [str(domain_file), str(problem_file), *names], form)
        sys.exit(int(error.exit_code))
    code = ExitCode.OK
    results: list[dict[str, object]] = []
    findings: list[Finding] = []
    for path in plan_files:
        try:
            result, found = _judge(path, domain, problem, verbose, form)
        except ChorewrightError as error:
            code = max(code, error.exit_code)
            findings += findings_of(error, str(path))
            results.append({"plan": str(path), "status": "unreadable", "message": str(error)})
            if form in (Format.TEXT, Format.JSON):
                show_error(error)
        else:
            if result["status"] == "invalid":
                code = max(code, ExitCode.NEGATIVE)
            results.append(result)
            findings += found
    if form is Format.JSON:
        print_json(results)
    elif form is not Format.TEXT:
        report(findings, names, form)
    sys.exit(int(code))


def _judge(
    path: Path, domain: Domain, problem: Problem, verbose: bool, form: Format
) -> tuple[dict[str, object], list[Finding]]:
    """Check one plan, print about it, and return what ``--json`` says of it and what is wrong with it."""
    from chorewright.planner.durative_validation import validate_timed
    from chorewright.planner.plan_files import PlanFile, parse_plan, parse_timed_plan
    from chorewright.planner.trace import changes, record, show_change
    from chorewright.planner.validation import validate as check

    if domain.durative_actions:
        given = PlanFile(())
        verdict = validate_timed(domain, problem, parse_timed_plan(*_text_and_name(path)))
    else:
        given = parse_plan(*_text_and_name(path))
        verdict = check(domain, problem, given.actions)
    status = "valid" if verdict.valid else "invalid"
    warnings = _contradictions(given, domain, problem, verdict)
    result: dict[str, object] = {"plan": str(path), "status": status, "cost": verdict.cost, "step": verdict.step}
    result.update(unmet=list(verdict.unmet), message=verdict.message, warnings=warnings)
    for warning in warnings if form in (Format.TEXT, Format.JSON) else ():
        print(fold(f"{path}: warning: {warning}"), file=sys.stderr)
    trace = tuple(changes(domain, problem, given.actions)) if verbose and given.actions else ()
    if verbose:
        result["trace"] = [record(change) for change in trace]
    if form is Format.TEXT:
        for change in trace:
            print(printable("\n".join(show_change(change))))
        if verdict.valid:
            print(printable(f"{path}: valid: cost {verdict.cost:g}"))
        else:
            print(fold(f"{path}: invalid: {verdict.message}"))
    findings = [Finding(str(path), warning, "doubtful-plan") for warning in warnings]
    if not verdict.valid:
        line = given.lines[verdict.step - 1] if verdict.step is not None and given.lines else None
        findings.insert(0, Finding(str(path), verdict.message, "invalid-plan", line))
    return result, findings


def _text_and_name(path: Path) -> tuple[str, str]:
    """Return the text of a plan file, or of standard input, and what messages call it."""
    if path == STANDARD_INPUT:
        return decode(sys.stdin.buffer.read(), "<stdin>").replace("\r\n", "\n"), "<stdin>"
    return read_text(readable(path)), str(path)


def _contradictions(given: PlanFile, domain: Domain, problem: Problem, verdict: Verdict) -> list[str]:
    """Return what a plan file says of itself that is not so."""
    found = []
    for what, said, name in (("domain", given.domain, domain.name), ("problem", given.problem, problem.name)):
        if said is not None and said != name.lower():
            found.append(f"the file says that its {what} is '{said}', not '{name}'")
    if given.cost is not None and verdict.valid and not math.isclose(given.cost, verdict.cost, abs_tol=1e-6):
        found.append(f"the file says that the cost is {given.cost:g}, but it is {verdict.cost:g}")
    return found
