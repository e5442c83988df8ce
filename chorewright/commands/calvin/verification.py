"""What ``verify`` says of folders in CALVIN's layout."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

from chorewright.commands.shell import print_json, printable
from chorewright.errors import ExitCode

_SHOWN = 40


class CalvinLayout:
    """CALVIN's datasets: a folder for each split, with one file a frame."""

    def recognises(self, folder: Path) -> bool:
        """Return whether a folder looks like one of CALVIN's."""
        from chorewright.generator.calvin.layout import is_calvin

        return is_calvin(folder)

    def verify(self, folder: Path, as_json: bool) -> None:
        """Check a folder; exit code 1 names the files that are not as they should be."""
        verify_layout(folder, as_json)


def verify_layout(folder: Path, as_json: bool) -> None:
    """Check a folder in CALVIN's layout; exit code 1 names the files that are not as they should be."""
    from chorewright.generator.calvin.layout import check_layout

    report = check_layout(folder)
    if as_json:
        rows = [{"file": file, "message": message} for file, message in report.problems]
        splits = [asdict(split) for split in report.splits]
        print_json({"folder": str(folder), "ok": not rows, "splits": splits, "problems": rows})
    else:
        for file, message in report.problems[:_SHOWN]:
            print(printable(f"{folder}/{file} {message}"), file=sys.stderr)
        if len(report.problems) > _SHOWN:
            print(f"{len(report.problems) - _SHOWN} more problems; --json lists all", file=sys.stderr)
        for split in report.splits:
            pictures = ", ".join(split.pictures) or "no pictures"
            embedded = " with embeddings" if split.embedded else ""
            print(
                printable(
                    f"{folder}: {split.name}: {split.frames} frames of {split.episodes} episodes, "
                    f"{split.annotations} annotations{embedded}, {pictures}"
                )
            )
    if report.problems:
        sys.exit(int(ExitCode.NEGATIVE))
