"""What ``verify`` says of HandMeThat's episodes in the reference's files: what differs from ours, and why."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from chorewright.commands.shell import console, print_json, printable
from chorewright.errors import ExitCode
from chorewright.files.english import say_count

if TYPE_CHECKING:
    from rich.table import Table

    from chorewright.replay.handmethat.checks import Checked

NAMED = 4
"""So many episodes are named for each reason."""


class ReferenceFiles:
    """HandMeThat's episodes in the reference's files: one, or a folder of them."""

    def recognises(self, folder: Path) -> bool:
        """Return whether there are such files."""
        from chorewright.replay.handmethat.reference import reference_files

        return bool(reference_files(folder))

    def verify(self, folder: Path, as_json: bool) -> None:
        """Derive again what follows from the rest, and compare; exit code 1 if anything differs for certain."""
        from chorewright.replay.handmethat.reference import reference_files

        verify_episodes(reference_files(folder), folder, as_json)


def verify_episodes(paths: Sequence[Path], folder: Path, as_json: bool) -> None:
    """Check episodes and print what differs; exit with 1 if anything does for certain.

    What differs only by costs that are not proven is told as well, but is no fault.

    Args:
        paths: The files.
        folder: What they were asked for as.
        as_json: Whether to print one JSON value.

    Raises:
        InputError: A file is no such episode.
    """
    from rich.console import Console
    from rich.progress import track

    from chorewright.replay.handmethat.checks import CHECKS, check_reference

    shown = Console(stderr=True)
    every = track(paths, "verify", console=shown, transient=True, disable=not shown.is_terminal)
    checked = [check_reference(path) for path in every]
    found = [(each.name, finding) for each in checked for finding in each.findings]
    faulty = sum(each.faulty for each in checked)
    if as_json:
        print_json(
            {
                "folder": str(folder),
                "ok": not faulty,
                "episodes": len(checked),
                "checks": {check: sum(finding.check == check for _, finding in found) for check in CHECKS},
                "problems": [
                    {
                        "episode": name,
                        "check": each.check,
                        "message": each.reason,
                        "detail": each.detail,
                        "certain": each.certain,
                    }
                    for name, each in found
                ],
            }
        )
    elif found:
        console().print(_table(checked))
    if not as_json:
        doubtful = sum(bool(each.findings) for each in checked) - faulty
        note = f"; {doubtful} more only by costs that are not proven, which is no fault" if doubtful else ""
        episodes = say_count(len(checked), "episode")
        said = f"{episodes}, {faulty} of them with something that differs{note}"
        print(printable(f"{folder}: {said}"))
    if faulty:
        sys.exit(int(ExitCode.NEGATIVE))


def _table(checked: Sequence[Checked]) -> Table:
    from rich import box
    from rich.table import Table

    from chorewright.replay.handmethat.checks import CHECKS

    table = Table(box=box.SIMPLE, pad_edge=False)
    for heading in ("expected", "but", "episodes", "such as"):
        table.add_column(heading, justify="right" if heading == "episodes" else "left")
    for check, expected in CHECKS.items():
        reasons: dict[str, list[str]] = {}
        for each in checked:
            for finding in each.findings:
                if finding.check == check:
                    reasons.setdefault(finding.reason, []).append(each.name)
        for reason, names in reasons.items():
            more = ", ..." if len(names) > NAMED else ""
            table.add_row(*map(printable, (expected, reason, str(len(names)), ", ".join(names[:NAMED]) + more)))
            expected = ""
    return table
