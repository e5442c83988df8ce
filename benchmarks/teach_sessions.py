"""TEACh sessions that we generate beside those of people: utterances and actions per session (Table 2).

    python -m benchmarks.teach_sessions --episodes 300 --workers 2 [--save] [--json FILE]

The sessions are made by the TEACh benchmark, exported in TEACh's format and thrown away.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, pstdev

from rich.console import Console
from rich.table import Table

from benchmarks.command import benchmark_parser, from_rich, keep
from benchmarks.results import Figure, Peer, Report
from benchmarks.results import Table as Values
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.production.line import run
from chorewright.generator.training.exporter import make_exporter

PAPER: dict[str, tuple[str, str, str]] = {
    "Water Plant": ("6.37 ±4.36", "51.86", "67.93"),
    "Coffee": ("7.75 ±5.08", "55.25", "72.29"),
    "Clean All X": ("9.65 ±7.03", "74.06", "96.92"),
    "Put All X On Y": ("8.66 ±5.82", "82.13", "103.53"),
    "Boil X": ("10.65 ±7.61", "104.66", "130.13"),
    "Plate Of Toast": ("12.26 ±8.51", "108.30", "136.11"),
    "N Slices Of X In Y": ("13.50 ±10.86", "113.62", "146.23"),
    "Put All X In One Y": ("11.32 ±7.03", "115.74", "147.80"),
    "N Cooked Slices Of X In Y": ("14.94 ±9.43", "155.18", "189.26"),
    "Sandwich": ("18.03 ±9.96", "195.93", "241.61"),
    "Salad": ("20.47 ±10.80", "206.29", "253.94"),
    "Breakfast": ("27.67 ±14.73", "295.06", "359.90"),
    "overall": ("13.67 ±10.81", "131.80", "164.65"),
}
"""Table 2: utterances, actions of the Follower in its surroundings, and all actions, per session."""

TABLE, SECTION = (f"Padmakumar et al. 2022 (TEACh), {place}" for place in ("Table 2", "section 3.3"))
SPOKEN = {"Commander": (8.40, 5.70), "Follower": (5.25, 3.80)}
"""Section 3.3: utterances per session and tokens per utterance."""


def counts(episode: Episode) -> tuple[int, int, int]:
    """Return the utterances, the Follower's actions, and all actions of a session."""
    dialogue = json.loads(dict(episode.extras)["dialogue"])
    said = sum(each["action"] == "Text" for each in dialogue)
    return said, len(episode.steps), len(episode.steps) + len(dialogue)


def main() -> None:
    """Generate, count, export, print."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--episodes", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    console = Console(width=104)
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        run(GenerateConfig("teach", options.episodes, options.seed), Path(folder) / "data", workers=options.workers)
        made = time.monotonic() - began
        episodes = list(Dataset(Path(folder) / "data"))
        began = time.process_time()
        exported = make_exporter("teach", {}).write(episodes, Path(folder) / "export")
        files = Counter(path.parts[-3] for path in (Path(folder) / "export").rglob("*/*/*.json"))
        spent = time.process_time() - began
    groups = {name: [one for one in episodes if one.task == name] for name in PAPER if name != "overall"}
    groups["overall"] = episodes
    table = session_table(groups)
    console.print(table)
    figures = []
    for agent, (name, (mean, tokens)) in enumerate(SPOKEN.items()):
        rate, words = spoken(episodes, agent)
        figures += [
            Figure(name.lower(), f"utterances of the {name} a session", rate, digits=2,
                   peers=(Peer("people", f"{mean:.2f}", SECTION),)),
            Figure(f"{name.lower()}_words", f"words an utterance, {name}", words, digits=1,
                   peers=(Peer("people", f"{tokens:.2f} tokens", SECTION),)),
        ]  # fmt: skip
        console.print(
            f"{name}: {rate:.2f} utterances a session of {words:.2f} words (people: {mean:.2f} of {tokens:.2f} tokens)"
        )
    console.print(f"made {len(episodes)} sessions in {made:.0f} s; exported in {spent:.1f} s of processor time")
    edh = files["edh_instances"] / exported.episodes
    console.print(f"EDH instances a session: {edh:.2f} (people: 4.54)")
    figures += [
        Figure("edh", "EDH instances a session", edh, digits=2, peers=(Peer("people", "4.54", "TEACh"),)),
        Figure("export_seconds", "export with all instances, a session", spent / len(episodes), "s", digits=2),
    ]
    keep(options, report(figures, from_rich(table, sources={"people": TABLE})))


def session_table(groups: Mapping[str, Sequence[Episode]]) -> Table:
    """Return the sessions by task, beside people's."""
    table = Table(title="Sessions: ours, and those of people (Table 2)")
    table.add_column("", no_wrap=True)
    for heading in ("n", "said", "people", "Follower", "people", "all", "people"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, group in groups.items():
        if name == "overall":
            table.add_section()
        if not group:
            continue
        said, acted, everything = zip(*map(counts, group), strict=True)
        paper = PAPER[name]
        table.add_row(
            name,
            str(len(group)),
            f"{fmean(said):.2f} ±{pstdev(said):.2f}",
            paper[0],
            f"{fmean(acted):.1f}",
            paper[1],
            f"{fmean(everything):.1f}",
            paper[2],
        )
    return table


def spoken(episodes: Sequence[Episode], agent: int) -> tuple[float, float]:
    """Return an agent's utterances a session and words an utterance."""
    texts = [
        each["text"]
        for one in episodes
        for each in json.loads(dict(one.extras)["dialogue"])
        if each["action"] == "Text" and each["agent"] == agent
    ]
    return len(texts) / len(episodes), fmean(len(text.split()) for text in texts)


def report(figures: Sequence[Figure], table: Values) -> Report:
    """Return the figures of all sessions."""
    return Report(
        name="teach_sessions",
        group="TEACh",
        title="TEACh: generated sessions beside those of people",
        explanation="Utterances and actions of generated sessions beside people's; how often things are said was set "
        "with these averages in view, once for all tasks.",
        figures=tuple(figures),
        tables=(table,),
    )


if __name__ == "__main__":
    main()
