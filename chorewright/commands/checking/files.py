"""The verb ``check``: what is wrong with PDDL and task files, for a pre-commit hook or an editor."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands.checking.formatting import pddl_files
from chorewright.commands.checking.reports import Format, ReportFormat, chosen, findings_of, report
from chorewright.commands.shell import AsJson, show_error, verb
from chorewright.errors import ChorewrightError, ExitCode
from chorewright.files.notices import tell

if TYPE_CHECKING:
    from chorewright.domains.pddl.neighbours import Neighbours

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
    from chorewright.domains.pddl.neighbours import Neighbours

    form = chosen(wanted, as_json)
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
        tell(f"{len(every)} files: {f'{wrong} with' if wrong else 'no'} errors")
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
