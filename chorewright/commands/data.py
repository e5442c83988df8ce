"""Verbs that make datasets of others' episodes: merge, filter, sample, split, relabel, import."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chorewright.commands.common import Length, Rooms, Splits, Tasks, Where, choose
from chorewright.commands.shell import AsJson, answer, check_seed, verb
from chorewright.errors import UsageError
from chorewright.files.english import say_count

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from chorewright.generator.dataset.store.dataset import Dataset
    from chorewright.generator.production.deriving import Selection

Sources = Annotated[list[str], typer.Argument(metavar="SOURCE...", help="Folders or URLs of datasets.")]
Out = Annotated[str, typer.Option("--out", help="A new folder or URL; an interrupted command continues there.")]
Seed = Annotated[int, typer.Option("--seed", help="Another seed, another choice.")]
Together = Annotated[
    str | None,
    typer.Option("--together", metavar="COLUMN", help="Episodes with one value here stay together: room, task."),
]


@verb
def merge(sources: Sources, out: Out, as_json: AsJson = False) -> None:
    """Put the episodes of several datasets of one benchmark into one, in order."""
    _derive(("merge",), sources, out, as_json)


@verb
def filter(
    sources: Sources,
    out: Out,
    task: Tasks = None,
    split: Splits = None,
    room: Rooms = None,
    length: Length = None,
    where: Where = None,
    as_json: AsJson = False,
) -> None:
    """Take the episodes that meet all conditions.

    A condition compares columns as SQL does: task LIKE 'pick_%' AND length(plan) BETWEEN 5 AND 9.
    """
    selection = choose(task, split, room, length, where)
    if not selection.words:
        raise UsageError(
            "nothing says which episodes to take", hint="give --task, --split, --room, --length or --where"
        )
    _derive(("filter", *selection.words), sources, out, as_json, selection)


@verb
def sample(
    sources: Sources,
    out: Out,
    episodes: Annotated[int | None, typer.Option("--episodes", "-n")] = None,
    fraction: float | None = None,
    per_task: int | None = None,
    seed: Seed = 0,
    task: Tasks = None,
    split: Splits = None,
    room: Rooms = None,
    length: Length = None,
    where: Where = None,
    as_json: AsJson = False,
) -> None:
    """Take episodes at random; the same seed takes the same ones.

    Args:
        episodes: Take so many.
        fraction: Take this share, from 0 to 1.
        per_task: Take so many of each task.
    """
    from chorewright.generator.production.deriving import take_some

    amounts = {"--episodes": episodes, "--fraction": fraction, "--per-task": per_task}
    given = {flag: value for flag, value in amounts.items() if value is not None}
    if len(given) != 1:
        raise UsageError("give one of --episodes, --fraction and --per-task")
    [(flag, amount)] = given.items()
    if amount <= 0 or (flag == "--fraction" and amount > 1):
        raise UsageError(f"{flag} {amount:g} takes nothing" if amount <= 0 else f"{flag} is a share from 0 to 1")
    selection = choose(task, split, room, length, where)
    datasets = _open(sources)
    places = take_some(selection.of(datasets), amount, flag == "--per-task", check_seed(seed))
    words = ("sample", flag, f"{amount:g}", "--seed", str(seed), *selection.words)
    _write(words, datasets, places, out, as_json)


@verb
def split(
    sources: Sources,
    out: Annotated[str, typer.Option("--out")],
    by: Annotated[str | None, typer.Option("--by", metavar="COLUMN")] = None,
    into: Annotated[list[str] | None, typer.Option("--into", metavar="NAME=SHARE")] = None,
    together: Together = None,
    seed: Seed = 0,
    task: Tasks = None,
    split: Splits = None,
    room: Rooms = None,
    length: Length = None,
    where: Where = None,
    as_json: AsJson = False,
) -> None:
    """Share episodes out to several datasets: by a column, or at random (--into train=0.8 --into test=0.2).

    Args:
        out: A folder; each part becomes a dataset in it.
        by: A part for each value: split, task, room.
        into: A part and its share; may be repeated.
    """
    from chorewright.generator.production.deriving import cut, share_out, values_of
    from chorewright.generator.training.exporter import check_name

    if (by is None) == (not into):
        raise UsageError("give either --by or --into", hint="--by split, or --into train=0.8 --into test=0.2")
    selection, datasets = choose(task, split, room, length, where), _open(sources)
    chosen = selection.of(datasets)
    words: tuple[str, ...] = ("--by", by or "")
    if by is not None:
        names = values_of(chosen, by)
    else:
        shares = _shares(into or ())
        names, words = share_out(chosen, shares, check_seed(seed), together or ""), _random(shares, together, seed)
    folders = {name: check_name(re.sub(r"[^\w.-]", "-", name, flags=re.ASCII)) for name in sorted(set(names))}
    if len(set(folders.values())) < len(folders):
        raise UsageError("two parts would have folders of one name", hint="choose another column, or --into")
    made: dict[str, int] = {}
    for name, folder in folders.items():
        part = ("split", *words, *selection.words, "--part", name)
        made[folder] = _make(part, datasets, cut(chosen, names == name), f"{out.rstrip('/')}/{folder}")
    told = ", ".join(f"{folder} {count}" for folder, count in made.items())
    answer(as_json, {"folder": out, "parts": made}, f"{out}: {say_count(len(made), 'dataset')}: {told}")


@verb
def relabel(
    sources: Sources,
    out: Out,
    to: Annotated[list[str], typer.Option("--to", metavar="SPLIT[=SHARE]")],
    together: Together = None,
    seed: Seed = 0,
    task: Tasks = None,
    split: Splits = None,
    room: Rooms = None,
    length: Length = None,
    where: Where = None,
    as_json: AsJson = False,
) -> None:
    """Put episodes into other splits; those that the conditions leave out keep theirs.

    Args:
        to: The new split; several have shares.
    """
    import numpy as np

    from chorewright.generator.production.deriving import share_out
    from chorewright.generator.training.exporter import check_split

    shares = _shares(to)
    for name in shares:
        check_split(name)
    selection, datasets = choose(task, split, room, length, where), _open(sources)
    chosen = selection.of(datasets)
    renamed = share_out(chosen, shares, check_seed(seed), together or "")
    splits: list[str] = []
    begin = 0
    for whole, some in zip(datasets, chosen, strict=True):
        here = whole.column("split").astype(object)
        here[some.places] = renamed[begin : begin + len(some)]
        splits += map(str, here)
        begin += len(some)
    words = ("relabel", *_random(shares, together, seed, "--to"), *selection.words)
    _write(words, datasets, [np.arange(len(each)) for each in datasets], out, as_json, splits)


@verb
def import_(folder: Path, out: Out, form: Annotated[str, typer.Option("--format")], as_json: AsJson = False) -> None:
    """Make a dataset of others' recordings; what cannot be checked in our worlds is marked.

    Args:
        folder: A folder of recordings.
        form: The format: alfred, calvin, lerobot or teach.
    """
    from chorewright.commands.progress import counting
    from chorewright.files.plugins import Origin
    from chorewright.generator.dataset.store.dataset import Dataset
    from chorewright.generator.production.importing import IMPORTERS, UNCHECKED, import_folder

    if not folder.is_dir():
        raise UsageError(f"{str(folder)!r} is no folder")
    with counting("import") as tell:
        count = import_folder(IMPORTERS.find(form, Origin.PERSON), folder, out, tell).accepted
    unchecked = len(Dataset(out).filter(where=f"extras.{UNCHECKED} IS NOT NULL"))
    told: dict[str, Any] = {"folder": out, "episodes": count, UNCHECKED: unchecked}
    answer(as_json, told, f"{out}: {say_count(count, 'episode')}, {unchecked} of them could not be checked")


def _shares(words: Sequence[str]) -> Mapping[str, float]:
    """Return the shares of parts; a single one without a share is the whole.

    Raises:
        UsageError: One is no number, or a name stands twice.
    """
    shares: dict[str, float] = {}
    for name, share in _pairs(words):
        if name in shares:
            raise UsageError(f"{name!r} is named twice")
        shares[name] = share
    return shares


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, float]]:
    for word in words:
        name, sign, share = word.partition("=")
        if not sign and len(words) == 1:
            share = "1"
        if not re.fullmatch(r"\d*\.?\d+", share) or not name:
            raise UsageError(f"{word!r} is no name with a share", hint="as train=0.8")
        yield name, float(share)


def _random(shares: Mapping[str, float], together: str | None, seed: int, flag: str = "--into") -> tuple[str, ...]:
    """Return the words by which episodes are shared out."""
    words = [word for name, share in shares.items() for word in (flag, f"{name}={share:g}")]
    return (*words, *(("--together", together) if together else ()), "--seed", str(seed))


def _open(sources: Sequence[str]) -> list[Dataset]:
    from chorewright.generator.dataset.store.dataset import Dataset

    return [Dataset(each) for each in sources]


def _derive(
    words: tuple[str, ...], sources: Sequence[str], out: str, as_json: bool, selection: Selection | None = None
) -> None:
    """Write all that is selected of some datasets, and say so."""
    datasets = _open(sources)
    chosen = datasets if selection is None else selection.of(datasets)
    _write(words, datasets, [each.places for each in chosen], out, as_json)


def _write(
    words: tuple[str, ...],
    datasets: Sequence[Dataset],
    places: Sequence[npt.NDArray[np.int64]],
    out: str,
    as_json: bool,
    splits: Sequence[str] | None = None,
) -> None:
    """Write a dataset, and say so."""
    count = _make(words, datasets, places, out, splits)
    total = sum(map(len, datasets))
    told: dict[str, Any] = {"folder": out, "episodes": count, "of": total}
    answer(as_json, told, f"{out}: {say_count(count, 'episode')} of {total}")


def _make(
    words: tuple[str, ...],
    datasets: Sequence[Dataset],
    places: Sequence[npt.NDArray[np.int64]],
    out: str,
    splits: Sequence[str] | None = None,
) -> int:
    """Write a dataset, and return how many episodes it has."""
    from chorewright.commands.progress import counting
    from chorewright.generator.production.deriving import Mixture, derive

    mixture = Mixture(words, tuple(datasets), tuple(places), splits)
    with counting(words[0]) as tell:
        return derive(mixture, out, tell).accepted
