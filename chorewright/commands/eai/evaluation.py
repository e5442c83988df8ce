"""The verb that marks answers to the questions of the Embodied Agent Interface, or writes the questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands.shell import AsJson, console, print_json, printable, readable, verb
from chorewright.errors import InputError, Location, UsageError
from chorewright.files.english import say_count

if TYPE_CHECKING:
    from chorewright.generator.measuring.eai.marking import Score
    from chorewright.generator.measuring.eai.tasks import EaiTask

MOST_BYTES = 500_000_000


@verb
def evaluate(
    folder: Annotated[
        Path, typer.Argument(help="What export --format eai made, or a folder of eai-eval's with its problem_pddl.")
    ],
    answers: Annotated[
        list[Path] | None,
        typer.Option("--answers", help="A JSON list of {identifier, llm_output}; may be repeated, one for each kind."),
    ] = None,
    kinds: Annotated[
        list[str] | None,
        typer.Option("--kind", help="What the answers are to, in their order; by default as the files' names begin."),
    ] = None,
    questions: Annotated[
        Path | None, typer.Option("--questions", help="Instead, write the questions into this folder.")
    ] = None,
    details: Annotated[bool, typer.Option("--details", help="With --json: also the mark of each answer.")] = False,
    as_json: AsJson = False,
) -> None:
    """Mark answers of a language model: what share is right, F1 of goals and transitions, and the kinds of errors."""
    from chorewright.generator.measuring.eai.folders import read_folder
    from chorewright.generator.measuring.eai.marking import mark_all
    from chorewright.generator.measuring.eai.questions import KINDS, check_kinds

    check_kinds(kinds or ())
    if (questions is None) == (not answers):
        raise UsageError("give either --answers or --questions")
    files = [readable(each) for each in answers or ()]
    chosen = kinds or [_kind_of(each) for each in files]
    if files and len(chosen) != len(files):
        raise UsageError(f"{len(files)} files of answers, but {len(chosen)} kinds")
    found = read_folder(folder)
    for name, reason in found.left_out:
        typer.echo(printable(f"left out: {name}: {reason}"), err=True)
    if questions is not None:
        files_changed = _write(questions, found.tasks, kinds or KINDS)
        if as_json:
            print_json({"folder": str(questions), "questions": len(found.tasks), "files_changed": files_changed})
        else:
            console().print(printable(f"{say_count(len(found.tasks), 'question')} of each kind in {questions}"))
        return
    given = [_read(path) for path in files]
    scores = [mark_all(kind, found.tasks, each) for kind, each in zip(chosen, given, strict=True)]
    if as_json:
        print_json({score.kind: _values(score, details) for score in scores})
        return
    for score in scores:
        _show(score)


def _kind_of(path: Path) -> str:
    """Return the kind that a file's name begins with."""
    from chorewright.generator.measuring.eai.questions import KINDS

    found = next((kind for kind in KINDS if path.name.startswith(kind)), None)
    if found is None:
        raise UsageError(f"what does {path.name} answer?", hint=f"name it with --kind: {', '.join(KINDS)}")
    return found


def _read(path: Path) -> Mapping[str, str]:
    from chorewright.files.json_source import load_json
    from chorewright.generator.measuring.eai.answers import Unreadable, read_outputs

    try:
        return read_outputs(load_json(path, MOST_BYTES).value)
    except Unreadable as error:
        hint = 'a list of {"identifier": ..., "llm_output": ...} is expected'
        raise InputError(error.message, location=Location(str(path)), hint=hint) from error


def _write(target: Path, tasks: Sequence[EaiTask], kinds: Sequence[str]) -> int:
    """Write questions and their answers of each kind, and return how many files changed."""
    from chorewright.generator.measuring.eai.questions import question
    from chorewright.generator.training.exporter import ExportFolder

    folder = ExportFolder(target, "eai-questions")
    changed = 0
    for kind in kinds:
        asked = [question(each, kind) for each in tasks]
        prompts = [{"identifier": q.identifier, "llm_prompt": q.prompt} for q in asked]
        answers = [{"identifier": q.identifier, "llm_output": q.answer} for q in asked]
        changed += folder.write_json((f"{kind}_prompts.json",), prompts)
        changed += folder.write_json((f"{kind}_gold.json",), answers)
    return changed


def _values(score: Score, details: bool) -> dict[str, object]:
    found = score.as_json()
    if details:
        found["marks"] = {
            name: {"correct": each.correct, "executable": each.executable, "error": each.error, "message": each.message}
            for name, each in score.marks.items()
        }
    return found


def _show(score: Score) -> None:
    figures = score.as_json()
    lines = [f"{score.kind}: {say_count(score.questions, 'question')}, {figures['answered']} answered"]
    lines.append(f"  correct {100 * float(str(figures['correct'])):.1f} %")
    if figures["executable"] != figures["correct"]:
        lines.append(f"  carried out to the end {100 * float(str(figures['executable'])):.1f} %")
    if "f1" in figures:
        lines.append(
            "  " + ", ".join(f"{name} {100 * float(str(figures[name])):.1f}" for name in ("f1", "precision", "recall"))
        )
    errors = figures["errors"]
    if isinstance(errors, dict) and errors:
        lines.append("  errors: " + ", ".join(f"{error} {count}" for error, count in errors.items()))
    for line in lines:
        console().print(printable(line))
