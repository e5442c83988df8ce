"""ALFRED's sentences beside people's, on the plans that people described.

    python -m benchmarks.alfred_language [--demos FILE.jsonl.gz] [--every K] [--seed N] [--show N]
                                         [--save] [--json FILE]

For every K-th recorded demonstration of the file (by default every 13th of the training demonstrations: 506), three
annotators of ours word its goal and its steps, and the words are compared with those of its first three people.

Tokens are lower-case runs of letters and digits, with an apostrophe inside: ``[a-z0-9]+(?:'[a-z]+)?``. All figures
are over all three annotations of all demonstrations, for steps and for goals apart:

- words: tokens a sentence, on average; vocabulary: different tokens.
- self-BLEU: 500 sentences are drawn without replacement (all, if there are fewer). For each, sentence BLEU-4 against
  the other 499: clipped n-gram precisions for n = 1 to 4, their geometric mean with equal weights, where no n-gram
  of a size matches 0.1 matches are counted; brevity penalty with the reference nearest in length. The mean over
  sentences, times 100, then over 5 drawings (seeds 0 to 4).
- distinct 4-grams: different over all, in 3,000 sentences drawn (seed 0).
- BLEU: corpus BLEU-4 (n-gram counts summed before they are divided) of each of our annotations against the second
  and third person, for the steps that all three people have; people's own is the first person's.
- distinct goals: of the first annotators' goals, one a demonstration, the different ones over all.
- references: ``benchmarks.alfred_references`` checks every spatial phrase against the scene.
"""

from __future__ import annotations

import gzip
import json
import math
import multiprocessing
import random
import re
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.alfred_references import Verdict, judge
from benchmarks.command import benchmark_parser, from_rich, given_path, keep
from benchmarks.corpora.reference import reference
from benchmarks.results import Figure, Report, Target
from chorewright.generator.alfred.recorded import (
    RecordedSegment,
    Recording,
    legs_of,
    meanings,
    older,
    read_meaning,
    read_scene,
)
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.scene import GRID, Pose, Scene
from chorewright.replay.household.setup import ItemPose
from chorewright.rsa.household.directives import Leg, directives

DRAWN, DRAWINGS, FOURS = 500, 5, 3000
TOKEN = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
SIZES = (1, 2, 3, 4)
NOTHING = 0.1
"""Matches that are counted where an n-gram size has none."""

Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """One demonstration's words: ours, people's, and what the check of references found."""

    name: str
    ours: tuple[tuple[str, tuple[str, ...]], ...]
    people: tuple[tuple[str, tuple[str, ...]], ...]
    verdicts: tuple[Verdict, ...]
    seconds: float


def recording_of(row: Mapping[str, object]) -> Recording:
    """Return a line of the reference data as a recording."""
    steps: dict[int, list[tuple[str, str, str]]] = {}
    for name, place, *ids in _list(row["low"]):
        texts = [str(each or "") for each in (*ids, "", "")]
        steps.setdefault(place, []).append((str(name), texts[0], texts[1]))
    segments = []
    for place, high in enumerate(_list(row["high"])):
        around = high.get("rc")
        x, z, rotation, horizon = high.get("loc") or (0, 0, 0, 0)
        segments.append(
            RecordedSegment(
                str(high["a"]),
                str(high.get("o") or ""),
                str(high.get("r") or ""),
                (older(around[0]), tuple(around[1:])) if around else None,
                Pose(x, z, rotation, horizon) if "loc" in high else None,
                tuple(steps.get(place, ())),
            )
        )
    params = row["pddl_params"]
    assert isinstance(params, dict)
    slots = {slot: older(params[name]) for slot, name in meanings().slots.items() if params[name]}
    x, _, z, rotation, horizon = _list(row["init"])
    return Recording(
        str(row["task_type"]),
        slots,
        bool(params["object_sliced"]),
        f"FloorPlan{row['scene_num']}",
        Pose(round(x / GRID), round(z / GRID), round(rotation / 90) % 4, round(horizon)),
        tuple(ItemPose(name, (a, b, c), (d, e, f)) for name, a, b, c, d, e, f in _list(row["object_poses"])),
        tuple(segments),
    )


def _list(value: object) -> list[Any]:
    assert isinstance(value, list)
    return value


def demonstration(row: Mapping[str, object]) -> tuple[Scene, tuple[Leg, ...]]:
    """Return the scene and the legs of a line of the reference data."""
    recording = recording_of(row)
    return legs_of(recording.segments, read_scene(recording, shipped_kinds()))


def say(task: tuple[Mapping[str, object], int]) -> Said:
    """Word one demonstration and check its references."""
    row, seed = task
    kinds = shipped_kinds()
    scene, legs = demonstration(row)
    meaning = read_meaning(recording_of(row), kinds)
    assert meaning is not None, row["path"]
    before = time.process_time()
    spoken = directives(meaning, legs, scene, np.random.Generator(np.random.PCG64(seed)))
    spent = time.process_time() - before
    verdicts = tuple(verdict for annotation in spoken for verdict in judge(annotation, legs, scene))
    people = tuple((goal, tuple(steps)) for goal, steps in _list(row["anns"])[:3])
    return Said(str(row["path"]), tuple((a.goal, a.steps) for a in spoken), people, verdicts, spent)


def tokens(text: str) -> Tokens:
    """Return the tokens of a sentence."""
    return tuple(TOKEN.findall(text.lower()))


def grams(words: Tokens, size: int) -> Counter[Tokens]:
    """Return a sentence's n-grams with their counts."""
    return Counter(words[place : place + size] for place in range(len(words) - size + 1))


def corpus_bleu(pairs: Sequence[tuple[Tokens, Sequence[Tokens]]]) -> float:
    """Return corpus BLEU-4, in per cent, of sentences with their references."""
    matched, total = dict.fromkeys(SIZES, 0), dict.fromkeys(SIZES, 0)
    length = wanted = 0
    for words, references in pairs:
        length += len(words)
        wanted += min((abs(len(each) - len(words)), len(each)) for each in references)[1]
        for size in SIZES:
            own, best = grams(words, size), Counter[Tokens]()
            for each in references:
                best |= grams(each, size)
            matched[size] += (own & best).total()
            total[size] += own.total()
    if min(matched.values(), default=0) == 0:
        return 0.0
    mean = statistics.fmean(math.log(matched[size] / total[size]) for size in SIZES)
    return 100 * math.exp(mean + min(0.0, 1 - wanted / length))


def self_bleu(sentences: Sequence[Tokens], seed: int) -> float:
    """Return the mean sentence BLEU-4 of drawn sentences, each against all others, in per cent."""
    drawn = random.Random(seed).sample(sentences, min(DRAWN, len(sentences)))
    counts = [[grams(words, size) for size in SIZES] for words in drawn]
    tops = [_two_highest([each[place] for each in counts]) for place in range(len(SIZES))]
    lengths = Counter(map(len, drawn))
    found = []
    for number, words in enumerate(drawn):
        logs = []
        for place in range(len(SIZES)):
            own = counts[number][place]
            matches = sum(
                min(count, second if holder == number else first)
                for gram, count in own.items()
                for first, holder, second in (tops[place][gram],)
            )
            logs.append(math.log((matches or NOTHING) / max(1, own.total())))
        length = len(words)
        nearest = min((abs(each - length), each) for each, count in lengths.items() if count > (each == length))[1]
        found.append(100 * math.exp(statistics.fmean(logs) + min(0.0, 1 - nearest / length)))
    return statistics.fmean(found)


def _two_highest(counts: Sequence[Counter[Tokens]]) -> dict[Tokens, tuple[int, int, int]]:
    """Return for each n-gram its highest count, the sentence that has it, and the highest of the others."""
    found: dict[Tokens, tuple[int, int, int]] = {}
    for number, own in enumerate(counts):
        for gram, count in own.items():
            first, holder, second = found.get(gram, (0, -1, 0))
            found[gram] = (count, number, first) if count > first else (first, holder, max(second, count))
    return found


@dataclass(frozen=True, slots=True)
class Level:
    """The figures of the steps, or of the goals, of one kind of speaker."""

    words: float
    vocabulary: int
    self_bleu: float
    fours: float
    bleu: float
    distinct: float


def measure(annotations: Sequence[Sequence[Sequence[str]]], people: Sequence[Sequence[Sequence[str]]]) -> Level:
    """Return the figures of annotations: demonstrations, speakers, sentences; and people's of the same."""
    texts = [tokens(text) for each in annotations for speaker in each for text in speaker]
    texts = [words for words in texts if words]
    pairs = [
        (tokens(text), [tokens(second), tokens(third)])
        for ours, theirs in zip(annotations, people, strict=True)
        if len(theirs) == 3
        for speaker in (ours if annotations is not people else ours[:1])
        for text, *rest in zip(speaker, *theirs, strict=False)
        for _, second, third in (rest,)
        if all(map(tokens, (text, *rest)))
    ]
    some = random.Random(0).sample(texts, min(FOURS, len(texts)))
    fours = Counter(gram for words in some for gram in grams(words, 4).elements())
    first = [tokens(speaker[0][0]) for speaker in annotations if speaker]
    return Level(
        statistics.fmean(map(len, texts)),
        len({word for words in texts for word in words}),
        statistics.fmean(self_bleu(texts, seed) for seed in range(DRAWINGS)),
        len(fours) / max(1, fours.total()),
        corpus_bleu(pairs),
        len(set(first)) / len(first),
    )


def levels(said: Sequence[Said]) -> dict[tuple[str, str], Level]:
    """Return the figures of steps and goals, ours and people's."""
    parts: Mapping[str, Callable[[tuple[str, tuple[str, ...]]], Sequence[str]]] = {
        "steps": lambda speaker: speaker[1],
        "goals": lambda speaker: (speaker[0],),
    }
    found = {}
    for part, choose in parts.items():
        people = [[choose(speaker) for speaker in each.people] for each in said]
        ours = [[choose(speaker) for speaker in each.ours] for each in said]
        found[part, "ours"] = measure(ours, people)
        found[part, "people"] = measure(people, people)
    return found


def shown(found: Mapping[tuple[str, str], Level]) -> Table:
    """Return the figures as a table."""
    table = Table("", "words", "vocabulary", "self-BLEU", "distinct 4-grams", "BLEU", "distinct goals")
    for (part, who), level in found.items():
        table.add_row(
            f"{part}, {who}",
            f"{level.words:.1f}",
            str(level.vocabulary),
            f"{level.self_bleu:.1f}",
            f"{level.fours:.3f}",
            f"{level.bleu:.1f}",
            f"{100 * level.distinct:.1f} %" if part == "goals" else "",
        )
    return table


def report(said: Sequence[Said], found: Mapping[tuple[str, str], Level]) -> Report:
    """Return the result."""
    limits = {"steps": (66.0, 600, 25.0), "goals": (58.0, 350, 27.0)}
    figures = []
    for part, (most, least, near) in limits.items():
        level = found[part, "ours"]
        figures += [
            Figure(f"self_bleu_{part}", f"self-BLEU of {part}", level.self_bleu, digits=1,
                   target=Target("at most", most)),
            Figure(f"vocabulary_{part}", f"vocabulary of {part}", level.vocabulary, "words",
                   target=Target("at least", least)),
            Figure(f"bleu_{part}", f"BLEU of {part} against two people", level.bleu, digits=1,
                   target=Target("at least", near)),
        ]  # fmt: skip
    verdicts = [verdict for each in said for verdict in each.verdicts]
    right = sum(verdict.right for verdict in verdicts)
    milliseconds = 1000 * statistics.fmean(each.seconds for each in said)
    figures += [
        Figure("distinct_goals", "distinct goals, one a demonstration", 100 * found["goals", "ours"].distinct, "%",
               digits=1, target=Target("at least", 90)),
        Figure("references", "references right by geometry", right, of=len(verdicts), digits=1,
               target=Target("at least", 99)),
        Figure("milliseconds", "three annotators' words of an episode, CPU", milliseconds, "ms", digits=1),
    ]  # fmt: skip
    return Report(
        name="alfred_language",
        group="ALFRED",
        title="Sentences beside people's on the same plans",
        explanation="Recorded training demonstrations in the words of three annotators of ours and of the three people "
        "who described them. The weights of the wordings were fitted on other training demonstrations.",
        figures=tuple(figures),
        tables=(from_rich(shown(found)),),
    )


def rows(path: Path, every: int) -> Iterator[Mapping[str, object]]:
    """Yield every K-th demonstration of a file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in islice(lines, 0, None, every):
            yield json.loads(line)


def main() -> None:
    """Run the benchmark from the command line."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--demos", type=given_path, help="demonstrations in the form of demos-train.jsonl.gz")
    parser.add_argument("--every", type=int, default=13, help="every K-th demonstration")
    parser.add_argument("--seed", type=int, default=0, help="of the words")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print so many demonstrations' words")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    path = arguments.demos or reference("alfred/demos-train.jsonl.gz")
    tasks = ((row, 1000 * arguments.seed + number) for number, row in enumerate(rows(path, arguments.every)))
    with multiprocessing.Pool(arguments.workers) as pool:
        said = list(pool.imap(say, tasks, chunksize=8))
    for each in said[:: max(1, len(said) // arguments.show)][: arguments.show] if arguments.show else ():
        print(f"== {each.name}")
        for goal, steps in each.ours:
            print("\n    - ".join((f"  {goal}", *steps)))
    console = Console(width=150)
    found = levels(said)
    console.print(shown(found))
    verdicts = [verdict for each in said for verdict in each.verdicts]
    kinds = Counter(verdict.phrase for verdict in verdicts)
    wrong = Counter(verdict.phrase for verdict in verdicts if not verdict.right)
    for phrase, number in kinds.most_common():
        console.print(f"{number - wrong[phrase]:6d} of {number:6d} right  {phrase}", highlight=False)
    for verdict in [each for each in verdicts if not each.right][:20]:
        console.print(f"   wrong: {verdict.sentence} ({verdict.reason})", highlight=False, markup=False)
    keep(arguments, report(said, found))


if __name__ == "__main__":
    main()
