"""The verb ``validate``, plans checked step by step; and what is wrong in files as continuous integration reads it.

``check`` and ``validate`` report as text or JSON, as GitHub's annotations, JUnit or SARIF.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

import typer

from chorewright import __version__
from chorewright.commands.common import DomainPath, Lenient, ProblemPath
from chorewright.commands.shell import AsJson, fold, print_json, printable, readable, show_error, show_remarks, verb
from chorewright.domains.lint.remarks import RULES as LINT
from chorewright.errors import ChorewrightError, ExitCode, InputErrors, Location, UsageError
from chorewright.files.english import say_count
from chorewright.files.text import decode, read_text, tell

if TYPE_CHECKING:
    from chorewright.domains.pddl.source import Remark
    from chorewright.domains.pddl.syntax import Domain, Problem
    from chorewright.planner.plan_files import PlanFile
    from chorewright.planner.validation import Verdict

STANDARD_INPUT = Path("-")


class Format(str, Enum):
    """How verbs report what they found."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"
    JUNIT = "junit"
    SARIF = "sarif"


class PlanFormat(str, Enum):
    """How plan files are read."""

    AUTO = "auto"
    PLAN = "plan"
    LOG = "log"


ReportFormat = Annotated[
    Format, typer.Option("--format", help="text, json, github (annotations), junit (XML) or sarif, on standard output.")
]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong in a file.

    Attributes:
        path: The file.
        message: What is wrong.
        rule: What kind of thing: ``malformed``, ``unsupported``, ``unreadable``, ``invalid-plan``, ...
        line: Where, from 1.
        column: Where in the line, from 1.
        hint: What may help.
    """

    path: str
    message: str
    rule: str
    line: int | None = None
    column: int | None = None
    hint: str | None = None

    @property
    def text(self) -> str:
        """The message with its hint."""
        return f"{self.message} (hint: {self.hint})" if self.hint else self.message


RULES = {
    "malformed": "A file breaks the rules of its language.",
    "unsupported": "A file uses a part of its language that chorewright does not have.",
    "unreadable": "A file is not there or cannot be read.",
    "invalid-plan": "A plan does not solve its problem.",
    "doubtful-plan": "A plan file says of itself what is not so.",
    "unformatted": "A file is not laid out as `chorewright fmt` does it.",
    **LINT,
}
WARNINGS = frozenset(("doubtful-plan", *LINT))
"""The rules whose findings are no errors."""


def findings_of(error: ChorewrightError, path: str) -> list[Finding]:
    """Return an error, or each of several, as findings; ``path`` is that of errors without a place."""
    found = []
    for each in error.errors if isinstance(error, InputErrors) else (error,):
        place = each.location or Location(path)
        rule = {34: "unsupported", 2: "unreadable"}.get(int(each.exit_code), "malformed")
        if isinstance(each, UsageError) and place.line is not None:
            rule = "malformed"
        found.append(Finding(place.path or path, each.message, rule, place.line, place.column, each.hint))
    return found


def finding_of(remark: Remark, path: str) -> Finding:
    """Return a remark as a finding; ``path`` is that of remarks without a place."""
    place = remark.location or Location(path)
    return Finding(place.path or path, remark.message, remark.rule, place.line, place.column, remark.hint)


def choose_format(wanted: Format, as_json: bool) -> Format:
    """Return the format that ``--format`` or ``--json`` asks for.

    Raises:
        UsageError: They differ.
    """
    if as_json and wanted not in (Format.TEXT, Format.JSON):
        raise UsageError(f"--json and --format {wanted.value} ask for different things")
    return Format.JSON if as_json else wanted


def report(findings: Sequence[Finding], checked: Sequence[str], wanted: Format) -> None:
    """Print findings in a format for other programs; ``checked`` are all files that were looked at."""
    if wanted is Format.GITHUB:
        for each in findings:
            print(_annotation(each))
    elif wanted is Format.JUNIT:
        print(_junit(findings, checked), end="")
    elif wanted is Format.SARIF:
        print_json(_sarif(findings))
    else:
        print_json([_row(each) for each in findings])


def _row(finding: Finding) -> dict[str, object]:
    return {name: getattr(finding, name) for name in ("path", "line", "column", "rule", "message", "hint")}


def _annotation(finding: Finding) -> str:
    """A workflow command of GitHub: an error beside the line in the pull request."""
    level = "warning" if finding.rule in WARNINGS else "error"
    places = {"file": finding.path, "line": finding.line, "col": finding.column, "title": f"chorewright {finding.rule}"}
    told = {name: _data(str(each)) for name, each in places.items() if each is not None}
    given = ",".join(f"{name}={each.replace(':', '%3A').replace(',', '%2C')}" for name, each in told.items())
    return f"::{level} {given}::{_data(finding.text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _junit(findings: Sequence[Finding], checked: Sequence[str]) -> str:
    """A test case for each file, with a failure for each thing that is wrong."""
    from xml.etree import ElementTree

    paths = list(dict.fromkeys((*checked, *(each.path for each in findings))))
    failed = {each.path for each in findings}
    suite = ElementTree.Element("testsuite", name="chorewright", tests=str(len(paths)), failures=str(len(failed)))
    suite.set("errors", "0")
    suite.set("skipped", "0")
    for path in paths:
        case = ElementTree.SubElement(suite, "testcase", classname="chorewright", name=_xml(path), file=_xml(path))
        of_path = [each for each in findings if each.path == path]
        if of_path:
            failure = ElementTree.SubElement(case, "failure", message=_xml(of_path[0].text), type=of_path[0].rule)
            places = (str(Location(each.path, each.line, each.column)) for each in of_path)
            lines = (f"{place}: {each.text}" for place, each in zip(places, of_path, strict=True))
            failure.text = _xml("\n".join(lines))
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _xml(text: str) -> str:
    """Text without the control characters that XML cannot hold."""
    return "".join(letter if letter >= " " or letter in "\t\n" else ascii(letter)[1:-1] for letter in text)


def _sarif(findings: Sequence[Finding]) -> dict[str, object]:
    """A log in SARIF 2.1.0."""
    rules = [
        {"id": name, "name": name.title().replace("-", ""), "shortDescription": {"text": text}}
        for name, text in RULES.items()
    ]
    driver = {"name": "chorewright", "version": __version__, "rules": rules}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": [_sarif_result(each) for each in findings]}],
    }


def _sarif_result(finding: Finding) -> dict[str, object]:
    path = Path(finding.path)
    # Programs that show results beside lines take the first one for the whole file.
    region = {"startLine": finding.line or 1, "startColumn": finding.column}
    physical: dict[str, object] = {
        "artifactLocation": {"uri": path.as_uri() if path.is_absolute() else quote(path.as_posix())},
        "region": {name: value for name, value in region.items() if value is not None},
    }
    return {
        "ruleId": finding.rule,
        "ruleIndex": list(RULES).index(finding.rule),
        "level": "warning" if finding.rule in WARNINGS else "error",
        "message": {"text": finding.text},
        "locations": [{"physicalLocation": physical}],
    }


# The verb.


@verb
def validate(
    domain_file: DomainPath,
    problem_file: ProblemPath,
    plan_files: Annotated[list[Path], typer.Argument(metavar="PLAN...")],
    verbose: Annotated[bool, typer.Option("--verbose", "-v")] = False,
    tolerance: float = 0.001,
    plan_format: PlanFormat = PlanFormat.AUTO,
    repair: Annotated[bool, typer.Option("--repair")] = False,
    lenient: Lenient = False,
    wanted: ReportFormat = Format.TEXT,
    as_json: AsJson = False,
) -> None:
    """Check plans step by step. Exit code 1 if any is invalid, 2 if any is not there, 31 if malformed.

    Plans are read as planners write them, with or without times and durations: `TIME: (ACTION OBJECT ...) [DURATION]`.
    Steps of one time must not interfere. In a folder, files named .plan, .soln or .sol are plans, also with a number
    behind (sas_plan.1).

    Args:
        plan_files: Plan files, folders of them, or - for standard input.
        verbose: Show what each step changes.
        tolerance: By how much durations may differ from what is asked for.
        plan_format: plan, or log: a planner's whole output, of which the last plan is taken.
        repair: Propose the smallest change that makes an invalid plan valid.
    """
    from chorewright.domains.pddl.parser import task_with_remarks
    from chorewright.domains.pddl.source import LENIENT
    from chorewright.planner.plan_files import plan_paths

    form = choose_format(wanted, as_json)
    if not 0 < tolerance < 1:
        raise UsageError(f"the tolerance must be between 0 and 1, but is {tolerance}")
    every = plan_paths(plan_files)
    if every.count(STANDARD_INPUT) > 1:
        raise UsageError("standard input can be read only once")
    names = [str(path) for path in every]
    try:
        domain, problem, remarks = task_with_remarks(readable(domain_file), readable(problem_file), lenient)
        show_remarks(each for each in remarks if each.rule == LENIENT)
    except ChorewrightError as error:
        if form in (Format.TEXT, Format.JSON):
            raise
        report(findings_of(error, str(problem_file)), [str(domain_file), str(problem_file), *names], form)
        sys.exit(int(error.exit_code))
    judge = _Judge(domain, problem, verbose, form, tolerance, plan_format.value, repair)
    code = ExitCode.OK
    results: list[dict[str, object]] = []
    findings: list[Finding] = []
    for path in every:
        try:
            result, found = judge.judge(path)
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
    elif len(every) > 1:
        counts = Counter(str(each["status"]) for each in results)
        tell(f"{say_count(len(every), 'plan')}: {', '.join(f'{number} {status}' for status, number in counts.items())}")
    sys.exit(int(code))


@dataclass(frozen=True, slots=True)
class _Judge:
    """What plans are judged by, and how it is reported."""

    domain: Domain
    problem: Problem
    verbose: bool
    form: Format
    tolerance: float
    plan_format: str
    repair: bool

    def judge(self, path: Path) -> tuple[dict[str, object], list[Finding]]:
        """Check one plan, print about it, and return what ``--json`` says of it and what is wrong with it."""
        from chorewright.planner.durative_validation import needs_times, validate_plan
        from chorewright.planner.plan_files import parse_plan

        given = parse_plan(*_text_and_name(path), self.plan_format)
        task = (self.domain, self.problem, given, Fraction(str(self.tolerance)))
        verdict = validate_plan(*task)
        status = "valid" if verdict.valid else "invalid"
        warnings = _contradictions(given, self.domain, self.problem, verdict)
        proposal = None if verdict.valid or not self.repair else self._propose(given, verdict)
        result: dict[str, object] = {"plan": str(path), "status": status, "cost": verdict.cost, "step": verdict.step}
        result.update(unmet=list(verdict.unmet), message=verdict.message, warnings=warnings)
        if verdict.violations:
            result["violations"] = dict(verdict.violations)
        if self.repair and not verdict.valid:
            result["repair"] = proposal
        for warning in warnings if self.form in (Format.TEXT, Format.JSON) else ():
            print(fold(f"{path}: warning: {warning}", sys.stderr), file=sys.stderr)
        self._trace(given, result)
        if self.form is Format.TEXT:
            if verdict.valid:
                told = [name if count == 1 else f"{name} ({count} times)" for name, count in verdict.violations]
                violated = f"; violated: {', '.join(told)}" if told else ""
                print(printable(f"{path}: valid: cost {verdict.cost:g}{violated}"))
            else:
                print(fold(f"{path}: invalid: {verdict.message}"))
            if self.repair and not verdict.valid:
                limit = " (steps are not added to plans with times)" if needs_times(*task) else ""
                print(fold(f"{path}: repair: {proposal or f'no small change makes it valid{limit}'}"))
        findings = [Finding(str(path), warning, "doubtful-plan") for warning in warnings]
        if not verdict.valid:
            line = given.lines[verdict.step - 1] if verdict.step is not None and given.lines else None
            findings.insert(0, Finding(str(path), verdict.message, "invalid-plan", line, hint=proposal))
        return result, findings

    def _propose(self, given: PlanFile, verdict: Verdict) -> str | None:
        from chorewright.planner.repair import propose_repair

        return propose_repair(self.domain, self.problem, given, verdict, Fraction(str(self.tolerance)))

    def _trace(self, given: PlanFile, result: dict[str, object]) -> None:
        """Show what each step of a plan changes, if that is asked for."""
        from chorewright.planner import progression
        from chorewright.planner.durative_validation import needs_times

        if not self.verbose:
            return
        tolerance = Fraction(str(self.tolerance))
        if needs_times(self.domain, self.problem, given, tolerance):
            events = progression.happenings(self.domain, self.problem, given, tolerance)
            result["trace"] = [progression.record_happening(each) for each in events]
            lines = [line for each in events for line in progression.show_happening(each)]
        else:
            steps = tuple(progression.changes(self.domain, self.problem, given.actions))
            result["trace"] = [progression.record(each) for each in steps]
            lines = [line for each in steps for line in progression.show_change(each)]
        if self.form is Format.TEXT:
            for line in lines:
                print(printable(line))


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
