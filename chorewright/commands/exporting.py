"""The verb that writes datasets in other formats, with the flags of the format that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from chorewright.commands.common import DatasetFolder
from chorewright.commands.generating import with_options
from chorewright.commands.shell import AsJson, answer, verb
from chorewright.files.english import say_count

FORMAT = "--format"


def _common(
    folder: DatasetFolder,
    form: Annotated[
        str, typer.Option(FORMAT, help="The format, or module:attribute of your own; with --help, its flags.")
    ],
    out: Annotated[str, typer.Option("--out", help="A new folder or URL, or one exported to before.")],
    as_json: AsJson = False,
) -> None:
    """What all formats have."""


def export_verb(words: Sequence[str]) -> Callable[..., None]:
    """Return the verb as the words of a command line need it: with the flags of the format that they name.

    Raises:
        UsageError: There is no such format, or it cannot be loaded.
    """
    from chorewright.generator.dataset.options import declare

    own = declare(_options(words))

    def export(**given: Any) -> None:
        _export(given["folder"], given["form"], given["out"], {each.name: given[each.name] for each in own}, given)

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


def _export(folder: str, form: str, out: str, options: dict[str, Any], given: dict[str, Any]) -> None:
    from chorewright.files.plugins import plugin_code
    from chorewright.generator.dataset.store.dataset import Dataset
    from chorewright.generator.dataset.store.places import locate
    from chorewright.generator.training.exporter import check_accepts, export_dataset, make_exporter

    exporter = make_exporter(form, options)
    dataset, target = Dataset(folder), locate(out)
    check_accepts(exporter, dataset)
    with plugin_code(f"the export format {form!r}"):
        exported = export_dataset(exporter, dataset, target)
    note = exporter.note()
    notes = {"note": note} if note else {}
    told = {"folder": str(target), "format": form, "episodes": exported.episodes}
    told |= {"files_changed": exported.files_changed, **notes}
    written = say_count(exported.files_changed, "file")
    line = f"{target}: {say_count(exported.episodes, 'episode')} ({written} written)"
    answer(given["as_json"], told, line, *notes.values())
