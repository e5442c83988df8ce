"""What is said and done in generated TEACh sessions: variety, dialogue acts, mishaps, and manners.

    python -m benchmarks.teach_dialogue --episodes 120 --workers 2 [--dataset DIR] [--show N] [--save] [--json FILE]

The sessions are made by the TEACh benchmark and thrown away, or read from a dataset. Words are runs of letters in
small letters. Two utterances are the same if they differ in capitals and punctuation only. Self-BLEU-4 is the mean
BLEU of each of 200 random utterances of a speaker against the others, n-grams up to the utterance's length.
"""

from __future__ import annotations

import json
import math
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.command import benchmark_parser, from_rich, given_path, keep
from benchmarks.results import Figure, Peer, Report, Target
from benchmarks.results import Table as Values
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.household.spawning import room_of
from chorewright.generator.production.line import run
from chorewright.generator.teach.records import final_scene
from chorewright.problems.household.kinds import Kinds

PEOPLE: Mapping[str, int] = {
    "Instruction": 11019, "Acknowledge": 7421, "InformationOnObjectDetails": 6946, "RequestForInstruction": 4043,
    "FeedbackPositive": 2745, "Greetings/Salutations": 2565, "RequestForObjectLocationAndOtherDetails": 2010,
    "InformationOther": 1148, "Confirm": 726, "RequestOtherInfo": 675, "MiscOther": 607, "RequestMore": 503,
    "OtherInterfaceComment": 486, "Affirm": 460, "NotifyFailure": 408, "Deny": 161, "AlternateQuestions": 127,
    "FeedbackNegative": 46,
}  # fmt: skip
"""How often each act was annotated in people's sessions."""

SCHEMA = "Gella et al. 2022 (TEACh-DA)"
SPEAKERS = ("Commander", "Follower")
SAMPLE, DRAWS = 200, 3
"""Utterances of which self-BLEU is computed, and how often they are drawn."""

NOTHING = 0.1
"""The matches that count where an n-gram of an utterance is in no other."""


@dataclass(frozen=True, slots=True)
class Said:
    """One utterance."""

    speaker: int
    text: str
    acts: tuple[str, ...]


def utterances(episode: Episode) -> list[Said]:
    """Return what is said in a session."""
    entries = json.loads(dict(episode.extras)["dialogue"])
    return [
        Said(each["agent"], each["text"], tuple(act for act, _ in each["acts"]))
        for each in entries
        if each["action"] == "Text"
    ]


def words(text: str) -> list[str]:
    """Return the words of a text in small letters."""
    return re.findall(r"[a-z']+", text.lower())


def self_bleu(texts: Sequence[Sequence[str]]) -> float:
    """Return the mean BLEU-4 of each text against all others."""
    grams = [[Counter(zip(*(text[k:] for k in range(n)), strict=False)) for n in range(1, 5)] for text in texts]
    most: list[dict[tuple[str, ...], tuple[int, int, int]]] = [{} for _ in range(4)]
    for owner, each in enumerate(grams):
        for best, counts in zip(most, each, strict=True):
            for gram, count in counts.items():
                top, first, second = best.get(gram, (0, -1, 0))
                best[gram] = (count, owner, top) if count > top else (top, first, max(second, count))
    return float(np.mean([_bleu(owner, each, most) for owner, each in enumerate(grams) if each[0]]))


def _bleu(
    owner: int,
    grams: Sequence[Counter[tuple[str, ...]]],
    most: Sequence[Mapping[tuple[str, ...], tuple[int, int, int]]],
) -> float:
    """Return the BLEU of one text: ``most`` has each n-gram's highest count, whose it is, and the next highest."""
    logs = []
    for counts, best in zip(grams, most, strict=True):
        total = counts.total()
        if total:
            found = sum(
                min(count, best[gram][2] if best[gram][1] == owner else best[gram][0]) for gram, count in counts.items()
            )
            logs.append(math.log((found or NOTHING) / total))
    return math.exp(sum(logs) / len(logs))


def sampled_bleu(texts: Sequence[str]) -> float:
    """Return the mean self-BLEU of some random samples of texts."""
    drawn = []
    for seed in range(DRAWS):
        rng = np.random.default_rng(seed)
        chosen = rng.permutation(len(texts))[:SAMPLE]
        drawn.append(self_bleu([words(texts[place]) for place in chosen]))
    return float(np.mean(drawn))


@dataclass(frozen=True, slots=True)
class Manners:
    """What a session's Follower did that nobody should do, and what went wrong.

    Attributes:
        coffees: Cups of coffee that were made.
        rinsed: Cups that were put under a tap with coffee in them.
        knives: Knives that were put into or onto other items.
        left_on: Taps and burners that run at the end although the Follower turned them on or used them.
        failed: Actions that failed.
    """

    coffees: int
    rinsed: int
    knives: int
    left_on: int
    failed: int


def manners(episode: Episode) -> Manners:
    """Return what a session's steps tell of the Follower's manners."""
    kinds = room_of(episode).kinds
    names = {name.lower(): name for name in kinds}
    coffee: set[str] = set()
    rinsed = knives = 0
    for step in episode.steps:
        coffee |= {atom[1] for atom in step.added if atom[0] == "coffee"}
        for _, item, place in (atom for atom in step.added if atom[0] == "in"):
            where = kinds[_kind(place, names)]
            rinsed += item in coffee and "drain" in where.roles
            knives += "sharp" in kinds[_kind(item, names)].roles and where.item
    failed = sum(not step.success for step in episode.steps)
    return Manners(len(coffee), rinsed, knives, _left_on(episode, kinds), failed)


def _kind(name: str, names: Mapping[str, str]) -> str:
    return names[name.split("_", 1)[0]]


def _left_on(episode: Episode, kinds: Kinds) -> int:
    """Return how many taps and burners run at the end that the Follower turned on or put something under or onto."""
    used: set[str] = set()
    around = {thing.object_id: thing.parents for thing in room_of(episode).objects}
    for step in episode.steps:
        target = json.loads(step.arguments).get("objectId") or ""
        if step.success and step.action == "ToggleOn":
            used.add(target)
        elif step.success and step.action == "Place":
            used |= {target, *around.get(target, ())}
    return sum(
        thing.attributes.is_toggled and bool(used & {thing.object_id, *thing.controls})
        for thing in final_scene(episode).objects
        if "attended" in kinds[thing.kind].roles and thing.controls
    )


@contextmanager
def sessions(dataset: Path | None, count: int, seed: int, workers: int) -> Iterator[list[Episode]]:
    """Give the sessions of a dataset, or of one that is made and thrown away."""
    if dataset is not None:
        yield list(Dataset(dataset))
        return
    with tempfile.TemporaryDirectory() as folder:
        run(GenerateConfig("teach", count, seed), Path(folder) / "data", workers=workers)
        yield list(Dataset(Path(folder) / "data"))


def main() -> None:
    """Generate or read, measure, print."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--episodes", type=int, default=120)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--dataset", type=given_path, help="read these sessions instead of making some")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print so many dialogues")
    options = parser.parse_args()
    console = Console(width=110)
    with sessions(options.dataset, options.episodes, options.seed, options.workers) as episodes:
        told = [utterances(each) for each in episodes if each.outcome.accepted]
        habits = [manners(each) for each in episodes if each.outcome.accepted]
        for episode, said in list(zip(episodes, told, strict=False))[: options.show]:
            console.print(f"\n{episode.task} {' '.join(value for _, value in episode.parameters)}", style="bold")
            for each in said:
                console.print(f"  {SPEAKERS[each.speaker]:10} {each.text}", markup=False, highlight=False)
    everything = [each for said in told for each in said]
    acts = Counter(act for each in everything for act in each.acts)
    table = act_table(acts)
    console.print(table)
    figures = [*variety(everything, len(told)), *act_figures(acts), *manner_figures(habits)]
    for figure in figures:
        console.print(f"{figure.label}: {figure.forms[0]}" + (" (missed)" if figure.met is False else ""))
    keep(options, report(figures, from_rich(table, sources={"people": SCHEMA})))


def act_table(acts: Counter[str]) -> Table:
    """Return the shares of the acts beside people's."""
    table = Table(title="Dialogue acts: ours, and those of people")
    table.add_column("", no_wrap=True)
    for heading in ("n", "share", "people"):
        table.add_column(heading, justify="right")
    ours, theirs = acts.total(), sum(PEOPLE.values())
    for name, count in PEOPLE.items():
        table.add_row(name, str(acts[name]), f"{100 * acts[name] / ours:.1f} %", f"{100 * count / theirs:.1f} %")
    return table


def variety(said: Sequence[Said], count: int) -> Iterator[Figure]:
    """Yield how many words and different sentences there are."""
    vocabulary = {word for each in said for word in words(each.text)}
    different = {" ".join(words(each.text)) for each in said}
    yield Figure("vocabulary", "different words in all sessions", len(vocabulary), target=Target("at least", 700))
    yield Figure("distinct", "different utterances", len(different), of=len(said), target=Target("at least", 75))
    for agent, (name, bound) in enumerate(zip(SPEAKERS, (0.6, 0.7), strict=True)):
        texts = [each.text for each in said if each.speaker == agent]
        yield Figure(
            f"{name.lower()}_bleu", f"self-BLEU-4 of the {name}", sampled_bleu(texts), digits=2,
            target=Target("at most", bound),
        )  # fmt: skip
        yield Figure(f"{name.lower()}", f"utterances of the {name} a session", len(texts) / count, digits=2)


def act_figures(acts: Counter[str]) -> Iterator[Figure]:
    """Yield how many acts occur, and how far their shares are from people's."""
    ours, theirs = acts.total(), sum(PEOPLE.values())
    apart = sum(abs(acts[name] / ours - count / theirs) for name, count in PEOPLE.items()) / 2
    spoken = sum(acts[name] > 0 for name in PEOPLE)
    yield Figure("acts", "dialogue acts that occur", spoken, of=len(PEOPLE), target=Target("at least", 100))
    yield Figure(
        "apart", "total variation distance of the acts' shares from people's", apart, digits=3,
        peers=(Peer("people", "0", SCHEMA),),
    )  # fmt: skip


def manner_figures(habits: Sequence[Manners]) -> Iterator[Figure]:
    """Yield what the Followers did that nobody should do, and how often something failed."""
    none = Target("at most", 0)
    yield Figure("coffees", "cups of coffee that were made", sum(each.coffees for each in habits))
    yield Figure("rinsed", "cups of coffee that were rinsed", sum(each.rinsed for each in habits), target=none)
    yield Figure("knives", "knives put into or onto items", sum(each.knives for each in habits), target=none)
    yield Figure("left_on", "taps and burners used and left on", sum(each.left_on for each in habits), target=none)
    failing = sum(bool(each.failed) for each in habits)
    yield Figure("failing", "sessions with an action that fails and is talked about", failing, of=len(habits))


def report(figures: Sequence[Figure], table: Values) -> Report:
    """Return the figures of all sessions."""
    return Report(
        name="teach_dialogue",
        group="TEACh",
        title="TEACh: what is said and done in generated sessions",
        explanation="Variety of what is said, dialogue acts beside those that were annotated in people's sessions, and "
        "what the Follower should not do. How often things are said was set with people's shares in view.",
        figures=tuple(figures),
        tables=(table,),
    )


if __name__ == "__main__":
    main()
