"""How verbs meet CALVIN's layout on disk: checked, and written with or without pictures and embeddings."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from chorewright.commands.shell import print_json, printable
from chorewright.errors import ExitCode, UsageError
from chorewright.files.cores import usable_cores

if TYPE_CHECKING:
    from chorewright.generator.exports.exporter import Exporter

FORMAT, ALFRED = "calvin", "alfred"
_SHOWN = 40


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


def exporter_for(
    form: str, images: bool, embeddings: str | None, workers: int | None, filler: bool = False
) -> Exporter:
    """Return the exporter of a format.

    Raises:
        UsageError: There is no such format, or it has no pictures, filler or embeddings of sentences.
        MissingExtra: What makes the embeddings is not installed.
    """
    from chorewright.generator.exports import find_exporter

    if filler and form != ALFRED:
        raise UsageError(f"--filler is of the format {ALFRED}, not of {form}")
    if form == ALFRED and not embeddings:
        from chorewright.generator.exports.alfred.exporter import AlfredExporter

        return AlfredExporter(images, filler)
    if form != FORMAT:
        if images:
            raise UsageError(f"--images is of the formats {ALFRED} and {FORMAT}, not of {form}")
        if embeddings:
            raise UsageError(f"--embeddings is of the format {FORMAT}, not of {form}")
        return find_exporter(form)

    from chorewright.generator.calvin.embeddings import find_embedder
    from chorewright.generator.exports.calvin.exporter import CalvinExporter

    if workers is not None and workers < 0:
        raise UsageError(f"--workers must not be negative, but is {workers}")
    cores = usable_cores() if images else 0
    return CalvinExporter(
        images=images,
        embed=find_embedder(embeddings) if embeddings else None,
        workers=cores if workers is None else workers,
    )


def instruction_files(recipe: str, paths: Sequence[Path]) -> tuple[tuple[str, str], ...]:
    """Return the user's sentences as files of a configuration; their errors are told with their whole paths.

    Raises:
        UsageError: The recipe has no such files, or there are too many.
        InputError: A file is not in CALVIN's format.
    """
    from chorewright.generator.calvin.settings import INSTRUCTIONS
    from chorewright.rsa.tabletop.instructions import load_instructions

    if recipe != FORMAT:
        raise UsageError(f"--instructions are of the recipe {FORMAT}, not of {recipe}")
    if len(paths) > len(INSTRUCTIONS):
        raise UsageError("--instructions are two files at most: for training, and for validation")
    load_instructions(*paths)
    return tuple((name, path.read_text("utf-8")) for name, path in zip(INSTRUCTIONS, paths, strict=False))


def export_note(form: str, images: bool, embeddings: str | None) -> str:
    """Return what an export has left out, as a sentence; empty if nothing."""
    if form != FORMAT:
        return ""
    missing = [
        *([] if images else ["pictures (--images draws them)"]),
        *([] if embeddings else ["embeddings of the sentences (--embeddings makes them)"]),
    ]
    return f"left out: {'; '.join(missing)}" if missing else ""
