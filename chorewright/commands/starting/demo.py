"""The verb ``demo``: a small dataset that is made, checked and shown, anywhere chorewright is installed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from chorewright.commands.shell import AsJson, print_json, printable, verb, write_text
from chorewright.errors import DatasetCorrupt
from chorewright.files.english import say_count
from chorewright.files.processes import usable_cores

BENCHMARK = "alfred"


@verb
def demo(
    folder: Annotated[Path, typer.Argument(help="The dataset's folder.")] = Path("chorewright-demo"),
    episodes: Annotated[int, typer.Option("--episodes", "-n", min=1, help="How many demonstrations to attempt.")] = 12,
    seed: Annotated[int, typer.Option("--seed", help="Another seed, another dataset.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Make a small dataset of the rooms, check it, and write it as one HTML page.

    The first run on a machine compiles the planner, which takes about a minute.
    """
    from chorewright.commands.progress import watching
    from chorewright.generator.dataset.options import configure
    from chorewright.generator.dataset.store.dataset import Dataset
    from chorewright.generator.dataset.store.places import locate
    from chorewright.generator.production.benchmark import BENCHMARKS
    from chorewright.generator.production.line import run
    from chorewright.generator.production.verify import verify as check
    from chorewright.generator.showing.pages import dataset_page

    config = configure(BENCHMARKS.find(BENCHMARK), BENCHMARK, episodes, {}, seed=seed)
    place = locate(folder)
    # Processes that all compile the planner would take longer than one.
    workers = 0 if episodes <= 64 else usable_cores()
    with watching() as watch:
        run(config, place, workers=workers, watch=watch)
    report = check(place)
    if not report.ok:
        raise DatasetCorrupt(f"{folder}: {report.problems[0]}")
    dataset, page = Dataset(place), folder / "demo.html"
    sides = folder / "demo_pages"
    write_text(page, dataset_page(dataset, folder.resolve().name, pages=sides, paged=3, workers=0))
    if as_json:
        print_json({"folder": str(folder), "episodes": len(dataset), "page": str(page)})
        return
    first = dataset[0]
    print(printable(f"{folder}: {say_count(len(dataset), 'episode')}, every file checked"))
    print(printable(f'the first: "{first.instructions[0].text}" ({len(first.plan)} actions, {len(first.steps)} steps)'))
    print(printable(f"open {page} in a browser; then try:"), file=sys.stdout)
    for words in (f"show {folder} 0", f"replay {folder} --video --episode {first.index}", "new-task my-task"):
        print(printable(f"  chorewright {words}"))
