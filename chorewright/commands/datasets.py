"""Verbs that check and show datasets."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

from chorewright.commands.common import DatasetFolder, Splits, Tasks, Where, choose, read_range
from chorewright.commands.generating import with_options
from chorewright.commands.shell import AsJson, answer, console, exit_unless, print_json, printable, show_error, verb
from chorewright.errors import DatasetCorrupt, UsageError
from chorewright.files.english import say_count
from chorewright.files.plugins import Registry

if TYPE_CHECKING:
    from chorewright.generator.dataset.store.dataset import Dataset
    from chorewright.generator.dataset.store.places import Place
    from chorewright.generator.production.benchmark import Presenter
    from chorewright.generator.production.verify import DatasetProblem, VerifyReport


class DatasetLayout(Protocol):
    """Folders that another program's datasets are in, and what ``verify`` says of them."""

    def recognises(self, folder: Path) -> bool:
        """Return whether a folder is in this layout."""

    def verify(self, folder: Path, as_json: bool) -> None:
        """Check a folder and print what is wrong; exit with 1 if anything is."""


LAYOUTS: Registry[DatasetLayout] = Registry("chorewright.layouts", "layout", ("recognises", "verify"))


@verb
def verify(folder: str, remake: int = 0, as_json: AsJson = False) -> None:
    """Check a dataset: every file, row and count against the manifest. Exit code 1 names what is damaged.

    A folder in the layout of an installed benchmark is checked as that benchmark checks it; of another export, the
    files are compared with what was written.

    Args:
        folder: A dataset's folder or URL; or a folder in a benchmark's own layout, if that can be checked.
        remake: Make so many episodes again and compare them with the stored ones.
    """
    from chorewright.commands.progress import counting
    from chorewright.generator.dataset.store.manifest import MANIFEST
    from chorewright.generator.dataset.store.places import RemotePath, locate
    from chorewright.generator.production.verify import verify as check
    from chorewright.generator.training.export_marker import MARKER, export_problems

    place = locate(folder)
    if not isinstance(place, RemotePath) and not (place / MANIFEST).exists():
        layout = next((each for each in LAYOUTS.usable().values() if each.recognises(place)), None)
        if (place / MARKER).is_file() and (layout is None or any(export_problems(place))):
            _verify_export(place, as_json)
            return
        if layout is not None:
            layout.verify(place, as_json)
            return
    try:
        with counting("verify", "episodes") as watch:
            report = check(place, remake, watch)
    except DatasetCorrupt as error:  # a verdict, not a failure to give one
        if not as_json:
            raise
        show_error(error)
        file = Path(error.location.path).name if error.location and error.location.path else MANIFEST
        row = {"file": file, "message": error.message, "hint": error.hint}
        print_json({"folder": str(place), "ok": False, "problems": [row]})
        sys.exit(int(error.exit_code))
    manifest = report.manifest
    told = {
        "shards": len(manifest.shards),
        "episodes": manifest.config.episodes,
        "accepted": manifest.accepted,
        "rejected": len(manifest.rejected) - len(manifest.lost),
        "lost": len(manifest.lost),
        "remade": len(report.remade),
        "near": len(report.near),
    }
    remade = f"; {_compare_report(report)}" if report.remade else ""
    shards = "1 shard is" if len(manifest.shards) == 1 else f"{len(manifest.shards)} shards are"
    line = f"{place}: {shards} whole; {say_count(manifest.accepted, 'episode')}, {manifest.left_out}{remade}"
    _tell_verdict(place, report.problems, told, line, as_json)


def _verify_export(folder: Path, as_json: bool) -> None:
    """Check an export against the checksums in its marker."""
    from chorewright.generator.production.verify import DatasetProblem
    from chorewright.generator.training.export_marker import MARKER, export_problems, read_marker

    marker = read_marker(folder / MARKER)
    hint = "run the same export command again: it writes what is missing or damaged"
    problems = [DatasetProblem(name, message, hint) for name, message in export_problems(folder)]
    count = len(marker.files or {})
    files = "1 file is" if count == 1 else f"{count:,} files are"
    told = {"format": marker.format, "files": count}
    _tell_verdict(folder, problems, told, f"{folder}: an export as {marker.format}; {files} whole", as_json)


def _tell_verdict(
    folder: Place, problems: Sequence[DatasetProblem], told: Mapping[str, object], line: str, as_json: bool
) -> None:
    """Say what is wrong in a folder, or the line if nothing is; exit code 1 if something is."""
    if as_json:
        rows = [asdict(each) for each in problems]
        print_json({"folder": str(folder), "ok": not problems, **told, "problems": rows})
    elif problems:
        for problem in problems:
            print(printable(f"{folder}/{problem}"), file=sys.stderr)
        for hint in dict.fromkeys(problem.hint for problem in problems):
            print(f"hint: {hint}", file=sys.stderr)
    else:
        print(printable(line))
    exit_unless(not problems)


@verb
def show(
    folder: DatasetFolder,
    episode: Annotated[int | None, typer.Argument()] = None,
    report: Annotated[bool, typer.Option("--report")] = False,
    as_json: AsJson = False,
) -> None:
    """Show a dataset's overview, or one episode: room, task, goal, sentences with their segments and
    steps.

    Args:
        episode: An episode's index; without it, an overview.
        report: Show attempts, rejections by stage and reason, and what the runs took.
    """
    from chorewright.generator.dataset.store.dataset import Dataset
    from chorewright.generator.production.benchmark import benchmark_if_known
    from chorewright.generator.showing import view as usual

    dataset = Dataset(folder)
    if report:
        if episode is not None:
            raise UsageError("--report is about a whole dataset, not about one episode")
        _show_report(dataset, as_json)
        return
    benchmark = benchmark_if_known(dataset.manifest.config.benchmark)
    view: Presenter = (benchmark.presenter() if benchmark is not None else None) or usual
    if episode is None:
        overview = view.overview(dataset)
        if as_json:
            print_json(view.overview_json(overview))
        else:
            console().print(view.overview_table(overview))
    elif as_json:
        print_json(usual.episode_json(dataset.episode(episode)))
    else:
        console().print(view.episode_text(dataset.episode(episode)))


def _compare_report(report: VerifyReport) -> str:
    """Say how episodes that were made again compare."""
    count, near = len(report.remade), len(report.near)
    if not near:
        return f"{count} made again, all equal"
    return f"{count} made again, {near} of them equal within the bounds of the physics"


def _show_report(dataset: Dataset, as_json: bool) -> None:
    from chorewright.commands.tables import budget_json, budget_table
    from chorewright.generator.dataset.store.dataset_folder import read_measures

    spent = read_measures(dataset.folder)
    if as_json:
        print_json(budget_json(dataset, spent))
    else:
        console().print(budget_table(dataset, spent))


# The verb that writes datasets in other formats, with the flags of the format that is asked for.


FORMAT = "--format"


def _common(
    folder: DatasetFolder,
    form: Annotated[str, typer.Option(FORMAT)],
    out: Annotated[str, typer.Option("--out")],
    task: Tasks = None,
    split: Splits = None,
    where: Where = None,
    episodes: Annotated[str | None, typer.Option("--episodes", metavar="N|LOW..HIGH")] = None,
    as_json: AsJson = False,
) -> None:
    """What all formats have.

    Args:
        form: The format, or module:attribute of your own; with --help, its flags.
        out: A new folder or URL, or one exported to before.
        episodes: Only the first N of these, or those of such indices.
    """


def export_verb(words: Sequence[str]) -> Callable[..., None]:
    """Return the verb as the words of a command line need it: with the flags of the format that they name.

    Raises:
        UsageError: There is no such format, or it cannot be loaded.
    """
    from chorewright.generator.dataset.options import declare

    own = declare(_options(words))

    def export(**given: Any) -> None:
        _export(given, {each.name: given[each.name] for each in own})

    export.__doc__ = "Write a dataset in another format, for the code that reads that format.\n\n" + _formats()
    return verb(with_options(export, _common, own))


def _options(words: Sequence[str]) -> type:
    """Return the options of the format that some words name; none if they name none."""
    from chorewright.files.plugins import Origin
    from chorewright.generator.dataset.options import NoOptions
    from chorewright.generator.training.exporter import EXPORTERS

    for number, word in enumerate(words):
        if word == FORMAT and number + 1 < len(words):
            return EXPORTERS.find(words[number + 1], Origin.PERSON).options
        if word.startswith(f"{FORMAT}="):
            return EXPORTERS.find(word.partition("=")[2], Origin.PERSON).options
    return NoOptions


def _formats() -> str:
    from chorewright.generator.training.exporter import EXPORTERS

    return f"Formats: {', '.join(EXPORTERS.names())}."


def _export(given: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    from chorewright.commands.progress import counting
    from chorewright.files.plugins import plugin_code
    from chorewright.generator.dataset.store.dataset import Dataset
    from chorewright.generator.dataset.store.places import locate
    from chorewright.generator.training.exporter import check_accepts, export_dataset, make_exporter

    form = given["form"]
    exporter = make_exporter(form, options)
    dataset, target = _select(Dataset(given["folder"]), given), locate(given["out"])
    check_accepts(exporter, dataset)
    with plugin_code(f"the export format {form!r}"), counting("export", "episodes") as exporter.watch:
        exported = export_dataset(exporter, dataset, target)
    note = exporter.note()
    notes = {"note": note} if note else {}
    told = {"folder": str(target), "format": form, "episodes": exported.episodes}
    told |= {"files_changed": exported.files_changed, **notes}
    written = say_count(exported.files_changed, "file")
    line = f"{target}: {say_count(exported.episodes, 'episode')} ({written} written)"
    answer(given["as_json"], told, line, *notes.values())


def _select(dataset: Dataset, given: Mapping[str, Any]) -> Dataset:
    """Return the episodes of a dataset that are to be exported.

    Raises:
        UsageError: There are none, or a condition is none.
    """
    [chosen] = choose(given["task"], given["split"], None, None, given["where"]).of([dataset])
    if (episodes := given["episodes"]) is not None:
        low, high = read_range(episodes)
        chosen = (
            chosen.filter(where=f"index BETWEEN {low} AND {high}")
            if ".." in episodes
            else chosen.at(chosen.places[:low])
        )
    if not len(chosen) and len(dataset):
        raise UsageError("no episode is left to export", hint="widen the conditions")
    return chosen
