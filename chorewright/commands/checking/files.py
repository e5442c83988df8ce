"""The verb ``check``: what is wrong with PDDL and task files, for a pre-commit hook or an editor."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from chorewright.commands.checking.formatting import pddl_files
from chorewright.commands.checking.reports import Format, ReportFormat, choose_format, findings_of, report
from chorewright.commands.shell import AsJson, show_error, verb
from chorewright.errors import ChorewrightError, ExitCode, InputError, InputErrors, Location
from chorewright.files.english import say_count
from chorewright.files.terminal import tell

TASK = ".task"


@verb
def check(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="PDDL domains, problems and .task files, or folders.")
    ],
    domain: Annotated[
        Path | None,
        typer.Option("--domain", help="The problems' domain; by default the one of its name given or beside them."),
    ] = None,
    wanted: ReportFormat = Format.TEXT,
    as_json: AsJson = False,
) -> None:
    """Read PDDL and task files, and say all that is wrong with them.

    A problem's domain is looked for by its name: among the files, beside the problem, in the folder above.
    Exit code 31 if a file is malformed, 34 if it uses what is not supported, 2 if it is not there.
    """

    form = choose_format(wanted, as_json)
    every = pddl_files(files, (".pddl", TASK))
    neighbours = Neighbours(tuple(each for each in every if each.suffix != TASK), domain)
    findings, code = [], ExitCode.OK
    for path in every:
        try:
            _read(path, neighbours)
        except ChorewrightError as error:
            code = max(code, error.exit_code)
            findings += findings_of(error, str(path))
            if form is Format.TEXT:
                show_error(error)
    if form is Format.TEXT:
        wrong = len({each.path for each in findings})
        tell(f"{say_count(len(every), 'file')}: {f'{wrong} with' if wrong else 'no'} errors")
    else:
        report(findings, [str(path) for path in every], form)
    sys.exit(int(code))


def _read(path: Path, neighbours: Neighbours) -> None:
    """Read a file wholly.

    Raises:
        ChorewrightError: What is wrong with it.
    """
    if path.suffix != TASK:
        neighbours.check(path)
        return
    from chorewright.domains.library import user_library
    from chorewright.domains.user_files import kinds_beside
    from chorewright.generator.production.worlds import find_task

    find_task(str(path), user_library(kinds_beside(str(path)), neighbours.domain))


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
    """

    files: tuple[Path, ...]
    domain: Path | None = None

    def check(self, path: Path) -> None:
        """Read a domain, or a problem with its domain.

        Raises:
            UsageError: The file, or the domain that was said, cannot be read.
            InputError: What is wrong with the file, a missing domain included; not what is wrong with its domain.
        """
        from chorewright.domains.pddl.parser import load_domain, load_task

        text = _text(path)
        kind = _DEFINITION.search(text)
        if kind is None or kind[1].lower() == "domain":
            load_domain(path)
            return
        named = _DOMAIN.search(text)
        if named is None and self.domain is None:
            raise InputError(
                "this problem names no domain", location=Location(str(path)), hint="write (:domain NAME) in it"
            )
        domain = self.domain or self._domain_of(path, named[1].lower() if named else "")
        try:
            load_task(domain, path)
        except InputError as error:
            every = error.errors if isinstance(error, InputErrors) else (error,)
            own = [each for each in every if each.location is None or each.location.path == str(path)]
            if own or domain not in self.files:  # those of the domain are told where it is checked itself
                raise InputErrors(own or every) from None

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
