"""The verb ``validate``, plans checked step by step; and what is wrong in files as continuous integration reads it.

``check`` and ``validate`` report as text or JSON, as GitHub's annotations, JUnit or SARIF.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

import typer

from chorewright import __version__
from chorewright.commands.common import DomainPath, ProblemPath
from chorewright.commands.shell import AsJson, fold, print_json, printable, readable, show_error, verb
from chorewright.errors import ChorewrightError, ExitCode, InputErrors, Location, UsageError
from chorewright.files.text import decode, read_text

if TYPE_CHECKING:
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
}


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
        print(json.dumps(_sarif(findings), indent=2))
    else:
        print_json([_row(each) for each in findings])


def _row(finding: Finding) -> dict[str, object]:
    names = ("path", "line", "column", "rule", "message", "hint")
    return {name: getattr(finding, name) for name in names}


def _annotation(finding: Finding) -> str:
    """A workflow command of GitHub: an error beside the line in the pull request."""
    level = "warning" if finding.rule == "doubtful-plan" else "error"
    places = {"file": finding.path, "line": finding.line, "col": finding.column, "title": f"chorewright {finding.rule}"}
    given = ",".join(f"{name}={_property(str(value))}" for name, value in places.items() if value is not None)
    return f"::{level} {given}::{_data(finding.text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


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
        "level": "warning" if finding.rule == "doubtful-plan" else "error",
        "message": {"text": finding.text},
        "locations": [{"physicalLocation": physical}],
    }


# The verb.


@verb
def validate(
    domain_file: DomainPath,
    problem_file: ProblemPath,
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
    from chorewright.planner.progression import changes, record, show_change
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
