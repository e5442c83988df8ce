"""The verbs ``check``, what is wrong with PDDL and task files, for a pre-commit hook or an editor; and ``fmt``."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands import validating
from chorewright.commands.common import Lenient
from chorewright.commands.shell import AsJson, printable, show_error, verb, write_bytes
from chorewright.domains.lint.remarks import choose_rules
from chorewright.errors import ChorewrightError, ExitCode, InputError, InputErrors, Location, UsageError
from chorewright.files.english import say_count
from chorewright.files.text import read_bytes, refuse_other_kinds, tell

if TYPE_CHECKING:
    from chorewright.domains.pddl.source import Remark

# The verb ``fmt``: PDDL files laid out in one way.


@verb
def fmt(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...")],
    check: Annotated[bool, typer.Option("--check")] = False,
    diff: Annotated[bool, typer.Option("--diff")] = False,
) -> None:
    """Lay PDDL files out in one way; comments, names and the order of everything stay.

    A file that is laid out already is not touched. Task files keep their own layout.

    Args:
        files: PDDL files, folders of them, or - for standard input.
        check: Write nothing; exit code 1 if a file would change.
        diff: Write nothing; print what would change.
    """
    code, changed = ExitCode.OK, 0
    every = pddl_files(files)
    for path in every:
        try:
            if _format(path, check, diff):
                changed += 1
        except ChorewrightError as error:
            code = max(code, error.exit_code)
            show_error(error)
    if not diff and every != [validating.STANDARD_INPUT]:
        tell(f"{changed} of {say_count(len(every), 'file')} {'would change' if check else 'changed'}")
    if check and changed:
        code = max(code, ExitCode.NEGATIVE)
    sys.exit(int(code))


def pddl_files(given: list[Path], suffixes: tuple[str, ...] = (".pddl",)) -> list[Path]:
    """Return the files that are given, with those of these kinds below given folders, in order.

    Raises:
        UsageError: A folder has none.
    """
    found: list[Path] = []
    for path in given:
        if not path.is_dir():
            found.append(path)
            continue
        below = sorted(each for suffix in suffixes for each in path.rglob(f"*{suffix}") if each.is_file())
        if not below:
            raise UsageError(f"there is no {' or '.join(suffixes)} file in {path}")
        found += below
    return list(dict.fromkeys(found))


def _format(path: Path, check: bool, diff: bool) -> bool:
    """Format a file, or say that or how it would change; return whether it is not laid out yet."""
    from chorewright.domains.pddl.formatting import format_pddl

    if path.suffix == ".task":
        raise UsageError(f"{path}: fmt lays out PDDL, not task files")
    piped = path == validating.STANDARD_INPUT
    data = sys.stdin.buffer.read() if piped else read_bytes(path)
    name = "<stdin>" if piped else str(path)
    refuse_other_kinds(data, name)
    old = data.decode("utf-8", errors="surrogateescape").removeprefix("\ufeff")
    new = format_pddl(old, name)
    if b"\r\n" in data:
        new = new.replace("\n", "\r\n")
    if diff:
        lines = unified_diff(old.splitlines(), new.splitlines(), name, name, lineterm="")
        print("".join(f"{printable(line)}\n" for line in lines), end="")
    elif check and old != new and not piped:
        print(printable(f"{path}: would be changed"))
    elif not check and piped:
        sys.stdout.buffer.write(new.encode("utf-8", errors="surrogateescape"))
    elif not check and old != new:
        write_bytes(path, new.encode("utf-8", errors="surrogateescape"))
    return old != new


TASK, ACTIVITY = ".task", ".bddl"


@verb
def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...")],
    domain: Path | None = None,
    select: Annotated[list[str] | None, typer.Option("--select", metavar="RULE")] = None,
    ignore: Annotated[list[str] | None, typer.Option("--ignore", metavar="RULE")] = None,
    lenient: Lenient = False,
    wanted: validating.ReportFormat = validating.Format.TEXT,
    as_json: AsJson = False,
) -> None:
    """Read PDDL and task files, say all that is wrong with them, and warn of what is doubtful.

    A problem's domain is looked for by its name: among the files, beside the problem, in the folder above.
    Exit code 31 if a file is malformed, 34 if it uses what is not supported, 2 if it is not there; 0 with warnings.

    Args:
        files: PDDL domains, problems and .task files, or folders.
        domain: The problems' domain; by default the one of its name given or beside them.
        select: Warn by these rules only; joined by commas.
        ignore: Warn by all rules but these.
    """

    form = validating.choose_format(wanted, as_json)
    rules = choose_rules(select or (), ignore or ())
    every = pddl_files(files, (".pddl", TASK))
    neighbours = Neighbours(tuple(each for each in every if each.suffix not in (TASK, ACTIVITY)), domain, lenient)
    findings: list[validating.Finding] = []
    code = ExitCode.OK
    told: set[Remark] = set()
    for path in every:
        try:
            remarks = [each for each in _read(path, neighbours) if each.rule in rules and each not in told]
            told.update(remarks)
            findings += [validating.finding_of(each, str(path)) for each in remarks]
            for each in remarks if form is validating.Format.TEXT else ():
                show_error(ChorewrightError(f"{each.message} [{each.rule}]", location=each.location, hint=each.hint))
        except ChorewrightError as error:
            code = max(code, error.exit_code)
            findings += validating.findings_of(error, str(path))
            if form is validating.Format.TEXT:
                show_error(error)
    if form is validating.Format.TEXT:
        wrong = len({each.path for each in findings if each.rule not in validating.WARNINGS})
        warned = f", {say_count(len(told), 'warning')}" if told else ""
        tell(f"{say_count(len(every), 'file')}: {f'{wrong} with' if wrong else 'no'} errors{warned}")
    else:
        validating.report(findings, [str(path) for path in every], form)
    sys.exit(int(code))


def _read(path: Path, neighbours: Neighbours) -> list[Remark]:
    """Read a file wholly, and return what is doubtful in it.

    Raises:
        ChorewrightError: What is wrong with it.
    """
    if path.suffix == ACTIVITY:
        from chorewright.problems.behavior.kinds import load_own

        load_own(path)
        return []
    if path.suffix != TASK:
        return neighbours.check(path)
    from chorewright.domains.library import user_library
    from chorewright.domains.vocabulary_files import kinds_beside
    from chorewright.generator.production.worlds import find_task

    find_task(str(path), user_library(kinds_beside(str(path)), neighbours.domain))
    return []


# Which domain file a problem file belongs to, where nobody says it.


_DEFINITION = re.compile(r"\(\s*define\s*\(\s*(domain|problem)\s+([^\s()]+)", re.IGNORECASE)
_DOMAIN = re.compile(r"\(\s*:domain\s+([^\s()]+)", re.IGNORECASE)
_COMMENT = re.compile(r";[^\n]*")


@dataclass(frozen=True)
class Neighbours:
    """Files that are checked together.

    Attributes:
        files: PDDL files.
        domain: The domain of all problems, if it is said.
        lenient: How they are read.
    """

    files: tuple[Path, ...]
    domain: Path | None = None
    lenient: bool = False

    def check(self, path: Path) -> list[Remark]:
        """Read a domain, or a problem with its domain, and return what is doubtful.

        Raises:
            UsageError: The file, or the domain that was said, cannot be read.
            InputError: What is wrong with the file, a missing domain included; not what is wrong with its domain.
        """
        from chorewright.domains.lint.rules import lint_domain, lint_problem
        from chorewright.domains.pddl.parser import domain_with_remarks, task_with_remarks
        from chorewright.domains.pddl.source import read_source

        text = _text(path)
        kind = _DEFINITION.search(text)
        if kind is None or kind[1].lower() == "domain":
            source = read_source(path)
            whole, remarks = domain_with_remarks(source.text, source.path, self.lenient)
            return [*remarks, *lint_domain(whole, source)]
        named = _DOMAIN.search(text)
        if named is None and self.domain is None:
            raise InputError(
                "this problem names no domain", location=Location(str(path)), hint="write (:domain NAME) in it"
            )
        domain = self.domain or self._domain_of(path, named[1].lower() if named else "")
        try:
            whole, problem, remarks = task_with_remarks(domain, path, self.lenient)
            doubts = lint_problem(whole, problem, read_source(domain), read_source(path))
            return [*(each for each in remarks if each.location is None or each.location.path == str(path)), *doubts]
        except InputError as error:
            every = error.errors if isinstance(error, InputErrors) else (error,)
            found = [each for each in every if each.location is None or each.location.path == str(path)]
            if found or domain not in self.files:  # those of the domain are told where it is checked itself
                raise InputErrors(found or every) from None
            return []

    def _domain_of(self, problem: Path, name: str) -> Path:
        folder = problem.parent
        for files in (self.files, _in(folder), _in(folder.parent)):
            found = [each for each in files if _names_domain(each, name)]
            if found:
                return min(found, key=lambda each: _rank(each, problem))
        raise InputError(
            f"there is no domain {name!r} among the files, beside this problem, or in the folder above",
            location=Location(str(problem)),
            hint="name its file with --domain",
        )


def _in(folder: Path) -> Iterator[Path]:
    yield from sorted(folder.glob("*.pddl"))


def _text(path: Path) -> str:
    """The text of a PDDL file without its comments."""
    from chorewright.domains.pddl.source import read_source

    return _COMMENT.sub("", read_source(path).text)


def _names_domain(path: Path, name: str) -> bool:
    found = _DEFINITION.search(_text(path))
    return found is not None and (found[1].lower(), found[2].lower()) == ("domain", name)


def _rank(domain: Path, problem: Path) -> tuple[bool, bool, int, str]:
    """The nearest first: in the problem's folder, then of its name (``p01-domain.pddl``), then ``domain.pddl``."""
    alike = domain.stem.lower().replace("domain", "").strip("-_") == problem.stem.lower()
    elsewhere = domain.resolve().parent != problem.resolve().parent
    return elsewhere, not alike, 0 if domain.name == "domain.pddl" else 1, str(domain)
