"""The verb that marks problems written of descriptions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chorewright.commands.shell import AsJson, print_json, readable, verb
from chorewright.errors import UsageError


@verb
def evaluate(
    folder: Annotated[Path, typer.Argument(help="An export of descriptions, or one of its files.")],
    answers_file: Annotated[
        Path, typer.Argument(metavar="ANSWERS", help='JSON lines like {"id": "...", "problem": "(define ..."}.')
    ],
    evaluations: Annotated[
        int, typer.Option("--evaluations", min=1, help="What each search for a difference may evaluate.")
    ] = 20_000,
    as_json: AsJson = False,
) -> None:
    """Mark problems that were written of descriptions: which are equivalent to the ones described."""
    from chorewright.generator.measuring.descriptions.marking import VERDICTS, counts, judge, read_rows

    files = sorted((folder / "data").glob("*.jsonl")) if folder.is_dir() else [folder]
    if not files:
        raise UsageError(f"there are no descriptions in {folder}", hint="give a folder of export --format descriptions")
    rows = [row for path in files for row in read_rows(readable(path), ("id", "level", "domain", "problem"))]
    answers = {row["id"]: row["problem"] for row in read_rows(readable(answers_file), ("id", "problem"))}
    unknown = sorted(answers.keys() - {row["id"] for row in rows})
    if unknown:
        raise UsageError(f"there is no description {unknown[0]!r}, which is answered")
    verdicts = judge(rows, answers, evaluations)
    found = counts(verdicts)
    if as_json:
        each = [{"id": v.id, "level": v.level, "verdict": v.verdict, "reason": v.reason} for v in verdicts]
        print_json({"levels": {level: dict(count) for level, count in found.items()}, "answers": each})
        return
    for level, count in found.items():
        total = sum(count.values())
        shown = ", ".join(f"{count[verdict]} {verdict}" for verdict in VERDICTS if count[verdict])
        print(f"{level:10} {100 * count['equivalent'] / total:.1f} % right of {total}: {shown}")
