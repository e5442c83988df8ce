"""A dataset as one HTML page that needs nothing else: a gallery to filter, sort and search, and statistics.

Beside it may stand a page of each episode, which the gallery links to.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from chorewright.files.text import storage_error, write_atomically
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.dataset.store.places import Place
from chorewright.generator.production.benchmark import benchmark_if_known
from chorewright.generator.production.pool import carry_out
from chorewright.generator.showing.images import jpeg
from chorewright.generator.showing.moments import moments_if_any
from chorewright.generator.showing.pages import episode_page, fill_page, speak
from chorewright.generator.showing.view import place_of

THUMBNAIL = 84
"""Pixels on a side of a gallery's pictures."""

LEVEL = "level"
"""The slot that says how hard an episode is, where a benchmark has such."""


@dataclass(frozen=True, slots=True)
class _Drawing:
    """What a worker draws of an episode: a small picture, a page of its own, or both.

    Attributes:
        folder: The dataset's.
        place: Which of the stored episodes.
        picture: Whether to draw the picture.
        page: The page's file; None for none.
        size: Pixels on a side of the page's pictures.
    """

    folder: Place
    place: int
    picture: bool
    page: Path | None
    size: int


def dataset_page(
    dataset: Dataset,
    name: str,
    *,
    pictures: int = 200,
    pages: Path | None = None,
    paged: int = 0,
    size: int = 300,
    workers: int = 0,
    tell: Callable[[int, int], object] = lambda done, total: None,
) -> str:
    """Return the page of a dataset, and write pages of its first episodes.

    Args:
        dataset: The dataset.
        name: What it is called.
        pictures: How many of the first episodes get a picture of their last moment.
        pages: The folder of the episodes' pages, beside the file of the gallery.
        paged: How many of the first episodes get a page.
        size: Pixels on a side of the pictures on these.
        workers: The number of processes that draw; 0 for none but this one.
        tell: Told how many episodes of how many are drawn.

    Raises:
        StorageError: A page cannot be written.
    """
    can_draw = moments_if_any(dataset.manifest.config.benchmark) is not None
    paged = min(paged, len(dataset)) if pages is not None else 0
    drawn = min(pictures, len(dataset)) if can_draw else 0
    links: dict[int, str] = {}
    jobs = []
    for place in range(max(drawn, paged)):
        page = None
        if pages is not None and place < paged:
            page = pages / f"{dataset[place].index:06}.html"
            links[place] = quote(os.fsencode(f"{pages.name}/{page.name}"))
        jobs.append(_Drawing(dataset.folder, place, place < drawn, page, size))
    if pages is not None and paged:
        pages.mkdir(parents=True, exist_ok=True)
    thumbnails: dict[int, str] = {}
    for done, (place, picture) in enumerate(carry_out(_draw, jobs, min(workers, len(jobs)), "drawing"), 1):
        thumbnails[place] = picture
        tell(done, len(jobs))
    rows = [
        _row(each) | {"picture": thumbnails.get(place, ""), "page": links.get(place, "")}
        for place, each in enumerate(dataset)
    ]
    data: dict[str, object] = {
        "title": name,
        "subtitle": _subtitle(dataset),
        "folder": str(dataset.folder),
        "episodes": rows,
        "paper": _paper(dataset),
    }
    return fill_page("gallery.html", data)


def _draw(job: _Drawing) -> tuple[int, str]:
    episode = Dataset(job.folder)[job.place]
    if job.page is not None:
        try:
            write_atomically(job.page, episode_page(episode, job.size).encode(), flush=False)
        except OSError as error:
            raise storage_error(error, job.page) from error
    family = moments_if_any(episode.benchmark) if job.picture else None
    return job.place, "" if family is None else jpeg(family.last_view(episode, THUMBNAIL))


def _row(episode: Episode) -> dict[str, object]:
    parameters = dict(episode.parameters)
    return {
        "index": episode.index,
        "task": episode.task,
        "parameters": [["" if slot.isdigit() else slot, value] for slot, value in episode.parameters if slot != LEVEL],
        "level": parameters.get(LEVEL, ""),
        "room": place_of(episode),
        "split": episode.split,
        "steps": len(episode.steps),
        "sentences": [[who, text] for who, text in speak(episode)],
    }


def _subtitle(dataset: Dataset) -> str:
    config = dataset.manifest.config
    manifest = dataset.manifest
    left_out = f", {manifest.left_out}" if manifest.rejected else ""
    return f"{len(dataset)} episodes of {config.benchmark}, seed {config.seed}{left_out}"


def _paper(dataset: Dataset) -> Sequence[tuple[str, str, str]]:
    found = benchmark_if_known(dataset.manifest.config.benchmark)
    if found is None or not len(dataset):
        return []
    return [(each.label, each.ours, each.paper) for each in found.paper_figures(dataset)]
