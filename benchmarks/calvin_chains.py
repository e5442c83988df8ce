"""CALVIN's chains: the published thousand and the counts, beside the plain procedure with numpy itself.

    python -m benchmarks.calvin_chains [--states 4] [--save] [--json FILE]

The peer draws as CALVIN's code does, with ``numpy.random.RandomState.choice``, for some of the 192 initial
states, and its time is taken for all of them, in CPU seconds of the same run. It looks successors up in our
table, so that only the drawing is compared: CALVIN's own code is slower.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import TypeAlias, TypeVar

import numpy as np

from benchmarks.command import benchmark_parser, keep
from benchmarks.corpora.reference import DATA
from benchmarks.results import Figure, Peer, Report
from chorewright.problems.calvin.chains import ChainSpace, fault, load_chains
from chorewright.problems.calvin.published import find_published_chains
from chorewright.problems.calvin.scenes import initial_states
from chorewright.problems.calvin.tasks import COMPATIBLE, task_model, tasks, transitions

T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Return what some work gives and its CPU seconds."""
    started = time.process_time()
    found = work()
    return found, time.process_time() - started


def plain(places: range, wanted: int) -> tuple[list[tuple[str, ...]], int]:
    """Draw chains of some initial states as CALVIN's procedure does; return them and the number of draws."""
    names = list(tasks())
    categories = [each.category for each in tasks().values()]
    table = transitions(task_model(COMPATIBLE), initial_states()).after.tolist()
    found: list[tuple[str, ...]] = []
    draws = 0
    for place in places:
        rng = np.random.RandomState(place)
        left = wanted
        while left:
            drawn = rng.choice(len(names), size=5, replace=False).tolist()
            draws += 1
            state = place
            for task in drawn:
                state = table[state][task]
                if state < 0:
                    break
            if state >= 0 and len({categories[task] for task in drawn}) == 5:
                found.append(tuple(names[task] for task in drawn))
                left -= 1
    return found, draws


Found: TypeAlias = tuple[dict[str, str], list[Figure]]
"""What is printed, and the figures of the result."""


def drawing(states: int) -> Found:
    """Draw the published chains again, and those of some states as numpy's procedure does."""
    find_published_chains(1)  # compiles, or loads what is compiled
    chains, ours = timed(find_published_chains)
    published = load_chains(DATA / "calvin" / "sequences_1000.json")
    equal = sum(one == other for one, other in zip(chains, published, strict=True))
    (drawn, draws), theirs = timed(lambda: plain(range(states), 6))
    starts = initial_states()[:states]
    mine = [chain.sequence for chain in chains if chain.initial_state in starts]
    assert sorted(mine) == sorted(drawn), "the peer draws other chains"
    share = len(drawn) / len(chains)
    ratio = theirs / share / ours
    said = {
        "published chains reproduced": f"{equal} of {len(published)} in {ours:.1f} s",
        f"peer, {len(starts)} states ({draws:,} draws)": f"{theirs:.1f} s, for all {theirs / share:.0f} s",
        "peer's time / ours": f"{ratio:.0f}",
    }
    peer = Peer("CALVIN's own code", "123 s on two cores", "its released code")
    return said, [
        Figure("reproduced", "published evaluation chains reproduced", equal, of=len(published)),
        Figure("seconds", "drawing them", ours, "s", digits=1, peers=(peer,)),
        Figure("peer_ratio", "the same draws with `numpy.random.RandomState.choice`, time / ours", round(ratio)),
    ]


def counting() -> Found:
    """Count the feasible chains of each state as CALVIN's table has them, and list those of some states."""
    rows = json.loads((DATA / "calvin" / "chain_counts.json").read_text("utf-8"))["initial_states"]
    task_model.cache_clear()  # expanding the states is part of counting
    space, seconds = timed(lambda: ChainSpace(variant=COMPATIBLE))
    counts = [space.count(start) for start in space.starts]
    right = sum(count == row["feasible_chains"] for count, row in zip(counts, rows, strict=True))
    listed, listing = timed(lambda: sum(1 for start in space.starts[:8] for _ in space.chains(start)))
    ratio = listing / listed * sum(counts) / seconds
    said = {
        "counts as published": f"{right} of {len(rows)} states, {sum(counts):,} chains, in {seconds:.2f} s",
        "listing them one by one / counting": f"{ratio:.0f}",
    }
    label, note = "initial states whose number of feasible chains is the published one", f"in {seconds:.2f} s"
    return said, [
        Figure("counts", label, right, of=len(rows), note=f"{sum(counts):,} chains in all, {note}"),
        Figure("listing_ratio", "listing these chains one by one, time / counting them", round(ratio)),
    ]


def correct_variant() -> Found:
    """Count, check and draw the chains of the table as it is."""
    own = ChainSpace()
    published = load_chains(DATA / "calvin" / "sequences_1000.json")
    refused, checking = timed(lambda: sum(fault(chain) is not None for chain in published))
    sampled, sampling = timed(lambda: own.sample(10_000, np.random.default_rng(0)))
    feasible, different = sum(map(own.count, own.starts)), len(set(sampled))
    said = {
        "chains of the correct variant": f"{feasible:,}",
        "published chains that it refuses": f"{refused} of {len(published)} in {checking:.2f} s",
        "drawn uniformly, all different": f"{different:,} in {sampling:.2f} s",
    }
    return said, [
        Figure("feasible", "feasible chains of the table as it is", feasible),
        Figure("refused", "published chains that the table as it is refuses", refused, of=len(published)),
        Figure("sampled", "chains drawn uniformly, all different", different, note=f"in {sampling:.2f} s"),
    ]


def main() -> None:
    """Print what is found, part by part."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--states", type=int, default=4, help="initial states that the peer draws for")
    arguments = parser.parse_args()
    figures: list[Figure] = []
    for said, found in (drawing(arguments.states), counting(), correct_variant()):
        for name, value in said.items():
            print(f"{name:45} {value}")
        figures += found
    report = Report(
        name="calvin_chains",
        group="CALVIN",
        title="CALVIN's chains",
        explanation="The published evaluation chains drawn again from the same random stream, and counts of feasible "
        "chains, beside the plain procedure with numpy itself.",
        figures=tuple(figures),
        conditions="one process",
    )
    keep(arguments, report)


if __name__ == "__main__":
    main()
