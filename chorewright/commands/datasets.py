"""Verbs that make, check, convert and show datasets."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from chorewright.commands.calvin_layouts import export_note, exporter_for, instruction_files, verify_layout
from chorewright.commands.handmethat_verification import verify_episodes
from chorewright.commands.rejections import print_failure, print_tries, tries_json
from chorewright.commands.shell import (
    AsJson,
    console,
    fail_stopped,
    parse_slice,
    print_json,
    printable,
    readable,
    verb,
)
from chorewright.commands.teaching import DefinitionsFolder, loaded
from chorewright.errors import DatasetCorrupt, ExitCode, UsageError, render
from chorewright.files.text import read_text


@verb
def generate(
    recipe: Annotated[
        str,
        typer.Argument(help="What to make: alfred, calvin, handmethat, teach, or module:attribute of your own recipe."),
    ],
    out: Annotated[Path, typer.Option("--out", help="The dataset's folder; a broken run continues there.")],
    episodes: Annotated[int, typer.Option("--episodes", "-n", help="How many demonstrations to attempt.")] = 100,
    seed: Annotated[int, typer.Option("--seed", help="Another seed, another dataset.")] = 0,
    workers: Annotated[
        int | None, typer.Option("--workers", help="Processes; all cores by default, 0 for this one only.")
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option("--shard", metavar="I/N", help="Make only the I-th of N parts (batch schedulers)."),
    ] = None,
    tasks: Annotated[
        list[str] | None,
        typer.Option("--tasks", "--task", help="A shipped task's name, or your own template file; may be repeated."),
    ] = None,
    params: Annotated[
        list[str] | None,
        typer.Option(
            "--params",
            metavar="'P P ...'",
            help="Parameters of a TEACh task, such as 'Fork on Tables'; may be repeated.",
        ),
    ] = None,
    definitions: DefinitionsFolder = None,
    scenes: Annotated[
        list[str] | None,
        typer.Option(
            "--scenes",
            "--scene",
            help="Only these rooms, e.g. FloorPlan10, or tables, A to D; may be repeated.",
        ),
    ] = None,
    instructions: Annotated[
        list[Path] | None,
        typer.Option(
            "--instructions",
            help="calvin: your sentences, a YAML file in its format; given again, those for validation.",
        ),
    ] = None,
    version: Annotated[
        str | None,
        typer.Option("--version", help="Which version of the benchmark (handmethat: 1, or 2 by default)."),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="NAME=VALUE", help="A setting of the recipe's own."),
    ] = None,
    calvin_env: Annotated[
        str | None,
        typer.Option(
            "--calvin-env",
            metavar="PATH",
            help="calvin: drive CALVIN's own environment, from this checkout of calvin_env.",
        ),
    ] = None,
    shard_size: Annotated[
        int, typer.Option("--shard-size", help="Episodes in a file; by default from their number.")
    ] = 0,
    executor: Annotated[str, typer.Option("--executor", help="local, or ray (needs chorewright[ray]).")] = "local",
    as_json: AsJson = False,
) -> None:
    """Make a dataset of expert demonstrations; the same command again completes a broken run."""
    from chorewright.commands.progress import watching
    from chorewright.generator.production.line import run
    from chorewright.generator.production.shard import DEFECT
    from chorewright.generator.recipe import GenerateConfig

    settings = [
        *(option or []),
        *([f"version={version}"] if version else []),
        *(f"params={each}" for each in params or ()),
        *([f"calvin-env={calvin_env}"] if calvin_env else []),
    ]
    options, task_files = _options(tasks or [], scenes or [], settings)
    if definitions is not None:
        task_files += _definition_files(definitions, recipe)
    if instructions:
        task_files += instruction_files(recipe, [readable(path) for path in instructions])
    config = GenerateConfig(recipe, episodes, seed, shard_size, options, task_files)
    slice_of = parse_slice(shard)
    try:
        with watching() as watch:
            report = run(config, out, workers=workers, slice_of=slice_of, executor=executor, watch=watch)
    except KeyboardInterrupt as stop:
        fail_stopped(stop, "finished shards are kept; the same command continues", as_json=as_json)
    entries = report.kept + report.made
    accepted = sum(entry.accepted for entry in entries)
    attempted = sum(entry.stop - entry.first for entry in entries)
    defects = [r for entry in entries for r in entry.rejected if r.reason.startswith(DEFECT)]
    if as_json:
        print_json(
            {
                "folder": str(out),
                "episodes": attempted,
                "accepted": accepted,
                "shards_kept": len(report.kept),
                "shards_made": len(report.made),
                "finished": report.manifest is not None,
                "rate": round(watch.rate, 3),
                "defects": [f"episode {r.index}: {r.reason}" for r in defects],
                **tries_json(config, out, entries),
            }
        )
    else:
        made = f"{watch.done_here} made now ({watch.rate:.1f}/s)" if watch.done_here else "nothing was missing"
        print(printable(f"{out}: {accepted} of {attempted} episodes accepted; {made}"))
        if report.manifest is None:
            print("other shards are missing still; whoever finishes the last one writes the manifest")
    for rejection in defects[:5]:
        print(printable(f"episode {rejection.index} met a {rejection.reason}"), file=sys.stderr)
    if not as_json:
        print_tries(config, out, entries)
    if accepted == 0:
        print_failure(config, entries)
        sys.exit(int(ExitCode.NEGATIVE))


@verb
def verify(
    folder: Annotated[
        Path,
        typer.Argument(
            help="A dataset's folder; or HandMeThat's episodes in the reference's files; or CALVIN's layout."
        ),
    ],
    remake: Annotated[
        int,
        typer.Option("--remake", help="Make so many episodes again and compare them with the stored ones."),
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Check a dataset: every file, row and count against the manifest. Exit code 1 names what is damaged.

    Of episodes in HandMeThat's own format, all that follows from the rest is derived again and compared; a
    folder in CALVIN's layout is checked file by file.
    """
    from chorewright.generator.calvin.layout import is_calvin
    from chorewright.generator.store.manifest import MANIFEST
    from chorewright.generator.store.verify import verify as check
    from chorewright.replay.handmethat.files import reference_files

    if remake < 0:
        raise UsageError(f"--remake must not be negative, but is {remake}")
    if not (folder / MANIFEST).exists() and (files := reference_files(folder)):
        verify_episodes(files, folder, as_json)
        return
    if not (folder / MANIFEST).exists() and is_calvin(folder):
        verify_layout(folder, as_json)
        return
    try:
        report = check(folder, remake)
    except DatasetCorrupt as error:  # a verdict, not a failure to give one
        if not as_json:
            raise
        print(printable(render(error)), file=sys.stderr)
        file = Path(error.location.path).name if error.location and error.location.path else MANIFEST
        row = {"file": file, "message": error.message, "hint": error.hint}
        print_json({"folder": str(folder), "ok": False, "problems": [row]})
        sys.exit(int(error.exit_code))
    manifest = report.manifest
    if as_json:
        print_json(
            {
                "folder": str(folder),
                "ok": not report.problems,
                "shards": len(manifest.shards),
                "episodes": manifest.config.episodes,
                "accepted": manifest.accepted,
                "rejected": len(manifest.rejected),
                "remade": len(report.remade),
                "problems": [{"file": p.file, "message": p.message, "hint": p.hint} for p in report.problems],
            }
        )
    elif report.problems:
        for problem in report.problems:
            print(printable(f"{folder}/{problem}"), file=sys.stderr)
        for hint in dict.fromkeys(problem.hint for problem in report.problems):
            print(f"hint: {hint}", file=sys.stderr)
    else:
        remade = f"; {len(report.remade)} made again, all equal" if report.remade else ""
        shards = "1 shard is" if len(manifest.shards) == 1 else f"{len(manifest.shards)} shards are"
        episodes = "1 episode" if manifest.accepted == 1 else f"{manifest.accepted} episodes"
        print(printable(f"{folder}: {shards} whole; {episodes}, {len(manifest.rejected)} rejected{remade}"))
    if report.problems:
        sys.exit(int(ExitCode.NEGATIVE))


@verb
def show(
    folder: Annotated[Path, typer.Argument(help="A dataset's folder.")],
    episode: Annotated[int | None, typer.Argument(help="An episode's index; without it, an overview.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show a dataset's overview, or one episode: room, task, goal, sentences with their segments and
    steps."""
    from chorewright.generator import view as plain_view
    from chorewright.generator.handmethat import view as handmethat_view
    from chorewright.generator.store.dataset import Dataset

    dataset = Dataset(folder)
    view = handmethat_view if dataset.manifest.config.recipe == "handmethat" else plain_view
    if episode is None:
        overview = view.overview(dataset)
        if as_json:
            print_json(view.overview_json(overview))
        else:
            console().print(view.overview_table(overview))
    elif as_json:
        print_json(plain_view.episode_json(dataset.episode(episode)))
    else:
        console().print(view.episode_text(dataset.episode(episode)))


@verb
def export(
    folder: Annotated[Path, typer.Argument(help="A dataset's folder.")],
    form: Annotated[str, typer.Option("--format", help="The format: alfred, calvin, handmethat or teach.")],
    out: Annotated[Path, typer.Option("--out", help="A new folder, or one exported to before.")],
    images: Annotated[
        bool,
        typer.Option(
            "--images",
            help="Draw pictures. calvin: of both cameras, into the frames; alfred: one for each action.",
        ),
    ] = False,
    filler: Annotated[
        bool, typer.Option("--filler", help="alfred: draw all pictures that ALFRED's recorder saves.")
    ] = False,
    embeddings: Annotated[
        str | None,
        typer.Option(
            "--embeddings",
            help="calvin: vectors of the sentences, by sentence-transformers or a module:function of yours.",
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", help="calvin: processes that draw; all cores by default.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a dataset in another format, for the code that reads that format."""
    from chorewright.generator.exports import exporter_names
    from chorewright.generator.store.dataset import Dataset

    exporter = exporter_for(form, images, embeddings, workers, filler)
    dataset = Dataset(folder)
    recipe = dataset.manifest.config.recipe
    if recipe in exporter_names() and recipe != form:  # a recipe and the format of its benchmark have one name
        raise UsageError(f"{folder} has episodes of {recipe}", hint=f"their format is --format {recipe}")
    exported = exporter.write(dataset, out)
    note = export_note(form, images, embeddings)
    if as_json:
        print_json(
            {
                "folder": str(out),
                "format": form,
                "episodes": exported.episodes,
                "files_changed": exported.files_changed,
                **({"note": note} if note else {}),
            }
        )
    else:
        print(printable(f"{out}: {exported.episodes} episodes ({exported.files_changed} files written)"))
        if note:
            print(note)


def _options(
    tasks: list[str], scenes: list[str], settings: list[str]
) -> tuple[tuple[tuple[str, tuple[str, ...]], ...], tuple[tuple[str, str], ...]]:
    """Sort what was asked for into the recipe's options and the user's template files with their texts."""
    values: dict[str, list[str]] = {}
    files: list[tuple[str, str]] = []
    for task in tasks:
        if task.endswith(".task"):
            files.append((Path(task).name, read_text(readable(Path(task)))))
        elif Path(task).is_dir():
            raise UsageError(f"{task!r} is a folder, not a task", hint="give one of its .task files")
        else:
            values.setdefault("tasks", []).append(task)
    if scenes:
        values["scenes"] = scenes
    for setting in settings:
        name, sign, value = setting.partition("=")
        if not sign or not name:
            raise UsageError(f"{setting!r} is no setting", hint="write NAME=VALUE")
        values.setdefault(name, []).append(value)
    return tuple((name, tuple(each)) for name, each in values.items()), tuple(files)


def _definition_files(folder: Path, recipe: str) -> tuple[tuple[str, str], ...]:
    """Return the names and texts of the user's definitions; their errors are told with their whole paths."""
    from chorewright.domains.tdl.definitions import definition_paths

    if recipe in ("alfred", "calvin", "handmethat"):
        raise UsageError(f"--definitions are of TEACh's tasks; the recipe {recipe} has none")
    loaded(folder)
    return tuple((path.name, read_text(path)) for path in definition_paths(folder))
