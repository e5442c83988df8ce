"""Rewards for language models: right, spoilt and random answers of all kinds, a model that errs, the speed of games.

    python -m benchmarks.rewards [--tasks N] [--random N] [--pairs N] [--steps N] [--workers N] [--rows FILE]
                                 [--save] [--json FILE]
    python -m benchmarks.rewards --val PROGRAM [--tasks N] [--save] [--json FILE]

Easy problems of shipped domains, rooms and requests are drawn, so many tasks of each kind; and so many of both splits,
whose keys up to renaming are compared. With ``--rows``, an interrupted run of a commit goes on. With ``--val``, spoilt
plans are judged by VAL, too.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.command import benchmark_parser, commit, given_path, keep
from benchmarks.results import Figure, Report, Target, table
from benchmarks.rewards_answers import FAMILIES, PLANS, answer_of, err, is_valid, random_answer, spoil, swap
from benchmarks.val import val_says
from chorewright.domains.pddl import parse_domain, parse_problem, syntax
from chorewright.errors import UsageError
from chorewright.generator.rewards.drawing import SPLITS
from chorewright.generator.rewards.judging import make_kind
from chorewright.problems.pddl.scenes import renaming_key
from chorewright.rewards import Task, kinds, score, tasks
from chorewright.rewards.trl import environment, rows

RATES = (0.0, 0.1, 0.2, 0.4, 0.7, 1.0)
BANDS = ("easy", "medium", "hard")
OF_A_BAND = 100
PIECE = 125
"""Tasks that one process draws at a time."""

SESSIONS = 64
SEED = 35
THING = re.compile(r"\b([a-z]+(?:-[a-z]+)*) (\d+)\b")


@dataclass(frozen=True, slots=True)
class Piece:
    """Tasks of a kind by their numbers: their answers are judged, or their keys are compared."""

    kind: str
    start: int
    stop: int
    band: str = "easy"
    split: str = "train"
    judged: bool = True
    guesses: int = 0


@dataclass(slots=True)
class Tally:
    """What a piece counted.

    Attributes:
        piece: The piece.
        counts: How many were drawn, right, ...
        seconds: The CPU seconds that drawing took.
        sums: The rewards of a model that errs, summed up by rate; costs and evaluations of plans.
        keys: The keys of tasks whose splits are compared.
        faults: What was raised.
    """

    piece: Piece
    counts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    sums: defaultdict[str, float] = field(default_factory=partial(defaultdict, float))
    keys: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def drawn(kind: str, count: int, band: str = "easy") -> Iterator[Task]:
    return tasks(kind, count, SEED, **({} if kind in FAMILIES else {"band": band}))


def key_of(task: Task) -> str:
    """Return a text that tasks share that are equal but for names.

    Problems are compared as such; of other tasks each sentence counts as a fact about the things that it names.
    """
    if "problem" in task.facts:
        domain = parse_domain(task.facts["domain"])
        return f"{domain.name} {renaming_key(domain, parse_problem(task.facts['problem'], domain))}"
    things: dict[str, syntax.Typed] = {}
    facts: dict[tuple[str, ...], None] = {}
    for sentence in re.split(r"(?<=[.?])\s|\n", task.prompt.lower()):
        named = [f"{noun} {number}" for noun, number in THING.findall(sentence)]
        things |= {each: syntax.Typed(each, (each.rpartition(" ")[0],)) for each in named}
        fact = (THING.sub(r"\1", sentence), *named)
        facts[fact] = None
    domain = syntax.Domain("told", (), (), (), (), (), (), ())
    problem = syntax.Problem("told", "told", tuple(things.values()), tuple(facts), (), syntax.TRUE)
    return f"{task.kind} {renaming_key(domain, problem)}"


def count(piece: Piece) -> Tally:
    """Draw the tasks of a piece and count what their answers earn, or keep their keys."""
    source = {"split": piece.split} | ({} if piece.kind in FAMILIES else {"band": piece.band})
    kind, found = make_kind(piece.kind, source), Tally(piece)
    rng = np.random.default_rng([SEED, piece.start, kinds().index(piece.kind)])
    made: list[Task] = []
    begun = time.process_time()
    for index in (piece.stop, *range(piece.start, piece.stop)):
        try:
            made.append(kind.task(SEED, index))
        except UsageError as error:
            found.faults.append(f"{piece.kind} {piece.split} {index}: {error}")
        if index == piece.stop:  # domains have been read, and kernels loaded
            made, begun = [], time.process_time()
    found.seconds = time.process_time() - begun
    found.counts["drawn"] = len(made)
    if not piece.judged:
        found.keys = [key_of(task) for task in made]
        return found
    for task in made:
        found.sums["cost"] += task.difficulty["cost"]
        found.sums["evaluated"] += task.difficulty.get("evaluated", 0)
        if piece.band == BANDS[0]:
            judge(task, rng, found)
    for place in rng.integers(len(made), size=piece.guesses):
        said = random_answer(made[int(place)], rng)
        try:
            score(made[int(place)], said)
            found.counts["guesses"] += 1
        except Exception as error:
            found.faults.append(f"{made[int(place)].name} raised {error!r} at {said!r}")
    return found


def judge(task: Task, rng: np.random.Generator, found: Tally) -> None:
    """Count what the right answer of a task earns, a spoilt one, a copy of the prompt, and a model that errs."""
    said = spoil(task, rng)
    if score(task, task.gold).reward == 1.0:
        found.counts["gold"] += 1
    else:
        found.faults.append(f"{task.name} does not pay for its right answer")
    found.counts["copies"] += score(task, task.prompt).reward > 0
    if score(task, said).reward > 0.5:
        valid = is_valid(task, said)
        found.counts["alternatives" if valid else "above"] += 1
        if not valid:
            found.faults.append(f"{task.name} pays more than a half for {said!r}")
    if task.kind == "plan":
        found.counts["plans"] += 1
        for rate in RATES:
            found.sums[f"rate {rate}"] += score(task, err(task, rate, rng)).reward


def pieces(judged: int, guesses: int, pairs: int) -> Iterator[Piece]:
    """Yield what there is to do: so many tasks of each kind, so many random answers and so many keys in all."""
    per_piece = guesses // (len(kinds()) * -(-judged // PIECE))
    for kind in sorted(kinds(), key=lambda name: (name not in FAMILIES, name)):
        for start in range(0, judged, PIECE):
            yield Piece(kind, start, min(judged, start + PIECE), guesses=per_piece)
    for band in BANDS[1:]:
        yield Piece("plan", 0, OF_A_BAND, band)
    each = pairs // (len(kinds()) * len(SPLITS))
    asked = dict.fromkeys(kinds(), each)
    asked["plan"] += pairs // len(SPLITS) - sum(asked.values())
    for kind, number in asked.items():
        for split in SPLITS[::-1]:
            for start in range(0, number, PIECE):
                yield Piece(kind, judged + start, judged + min(number, start + PIECE), split=split, judged=False)


def run(asked: Sequence[Piece], workers: int, rows: Path | None) -> Iterator[Tally]:
    """Yield what the pieces count; what an earlier run of this commit wrote to the rows is not counted again."""
    code = commit()
    lines = map(json.loads, rows.open()) if rows and rows.exists() else ()
    known = {each.piece: each for each in (read_row(line["tally"]) for line in lines if line["commit"] == code)}
    yield from (known[piece] for piece in asked if piece in known)
    left = [piece for piece in asked if piece not in known]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for tally in map(count, left) if workers < 2 else pool.map(count, left):
            if rows:
                with rows.open("a") as file:
                    file.write(json.dumps({"commit": code, "tally": row_of(tally)}) + "\n")
            yield tally


def row_of(tally: Tally) -> dict[str, Any]:
    """Return what a piece counted as JSON."""
    return {each.name: getattr(tally, each.name) for each in fields(tally)} | {"piece": asdict(tally.piece)}


def read_row(row: Mapping[str, Any]) -> Tally:
    """Return what a piece counted in an earlier run."""
    sums = defaultdict(float, row["sums"])
    return Tally(Piece(**row["piece"]), Counter(row["counts"]), row["seconds"], sums, row["keys"], row["faults"])


def steps_a_second(count: int) -> float:
    """Return how many commands of games in the household 64 sessions take a second through TRL's factory."""
    make, data = environment(), rows("household", SESSIONS, SEED)
    gold = [answer_of(task) for task in tasks("household", SESSIONS, SEED)]
    sessions = [make() for _ in data]
    done, begun = 0, time.perf_counter()
    while done < count:
        for session, row in zip(sessions, data, strict=True):
            session.reset(**row)
        for place in range(max(map(len, gold))):
            for session, commands in zip(sessions, gold, strict=True):
                if place < len(commands):
                    session.command(commands[place])
                    done += 1
        assert all(session.get_reward() == 1.0 for session in sessions)
    return done / (time.perf_counter() - begun)


def confirm(program: Path, of_each: int) -> Report:
    """Return whether our judges pay more than a half for exactly those spoilt plans that VAL calls valid.

    Only tasks count whose right plan VAL calls valid: it cannot read all domains, such as an effect that is one
    ``assign`` without ``and``.
    """
    rng = np.random.default_rng(SEED)
    verdicts: list[tuple[bool, bool]] = []
    with TemporaryDirectory() as name:
        for task in (task for kind in PLANS for task in drawn(kind, of_each)):
            (Path(name) / "domain.pddl").write_text(task.facts["domain"])
            (Path(name) / "problem.pddl").write_text(task.facts["problem"])
            spoilt = (spoil(task, rng), swap(task, rng))
            texts = ("\n".join(said.splitlines()[1:-1]) for said in (task.gold, *spoilt))
            right, *valid = (val_says(program, Path(name), text) is True for text in texts)
            if right:
                verdicts += zip(valid, (score(task, said).reward > 0.5 for said in spoilt), strict=True)
    same = sum(valid == paid for valid, paid in verdicts)
    figures = (
        Figure("right", "tasks whose right plan VAL reads and calls valid", len(verdicts) // 2, of=2 * of_each),
        Figure("confirmed", "their spoilt plans of which VAL says the same", same, of=len(verdicts),
               target=Target("at least", 100)),
        Figure("valid", "of these valid all the same, says VAL", sum(valid for valid, _ in verdicts)),
    )  # fmt: skip
    explanation = (
        "Plans with a step left out or two swapped, some of them valid all the same, judged by VAL and by our judges."
    )
    return Report("rewards_val", "Any PDDL domain", "Rewards for other valid plans", explanation, figures)


def main() -> None:
    """Print what answers of each sort earn."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--tasks", type=int, default=625, help="tasks of each kind")
    parser.add_argument("--random", type=int, default=100_000)
    parser.add_argument("--pairs", type=int, default=100_000, help="tasks whose keys are compared, over both splits")
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--rows", type=Path, metavar="FILE", help="keep what each piece counted in this file")
    parser.add_argument(
        "--val", type=given_path, metavar="PROGRAM", help="VAL's Validate; nothing else is measured then"
    )
    arguments = parser.parse_args()
    if arguments.val:
        keep(arguments, report := confirm(arguments.val.resolve(), arguments.tasks))
        print(report.figures)
        return
    steps = steps_a_second(arguments.steps)
    print(f"{steps:,.0f} steps/s", flush=True)
    tallies = []
    asked = list(pieces(arguments.tasks, arguments.random, arguments.pairs))
    for each in run(asked, arguments.workers, arguments.rows):
        tallies.append(each)
        piece = each.piece
        print(f"{piece.kind:18} {piece.split:5} {piece.band:6} {piece.start:6} {dict(each.counts)} "
              f"{each.seconds:.1f} CPU s", *each.faults, sep="\n  ", flush=True)  # fmt: skip
    keep(arguments, report_of(tallies, steps))


def report_of(tallies: Sequence[Tally], steps: float) -> Report:
    """Return what all pieces have counted."""
    easy = [each for each in tallies if each.piece.judged and each.piece.band == BANDS[0]]
    counts: Counter[str] = sum((each.counts for each in easy), Counter())
    erring = [sum(each.sums[f"rate {rate}"] for each in easy) / counts["plans"] for rate in RATES]
    bands = {band: [each for each in tallies if each.piece.judged and each.piece.kind == "plan"
                    and each.piece.band == band] for band in BANDS}  # fmt: skip
    speeds = {kind: [speed_of(each for each in tallies if (each.piece.kind, each.piece.split, each.piece.band)
                              == (kind, split, BANDS[0])) for split in SPLITS] for kind in kinds()}  # fmt: skip
    keys = {split: [key for each in tallies if not each.piece.judged and each.piece.split == split for key in each.keys]
            for split in SPLITS}  # fmt: skip
    compared, shared = sum(map(len, keys.values())), set(keys["train"]) & set(keys["eval"])
    distinct = sum(len(set(each)) for each in keys.values())
    missing = sum(each.piece.stop - each.piece.start - each.counts["drawn"] for each in tallies)
    kept = sum(one >= other for one, other in pairwise(erring))
    made = counts["drawn"]
    figures = (
        Figure("gold", "right answers that score 1", counts["gold"], of=made, target=Target("at least", 100)),
        Figure("spoilt", "spoilt answers above a half, but valid plans", counts["above"], of=made,
               target=Target("at most", 0)),
        Figure("alternatives", "spoilt plans that are valid all the same", counts["alternatives"]),
        Figure("copies", "copies of the prompt with any reward", counts["copies"], of=made,
               target=Target("at most", 0)),
        Figure("random", "random answers without an exception", counts["guesses"], target=Target("at least", 100_000)),
        Figure("shared", "tasks of one split that are tasks of the other but for names", len(shared), of=compared,
               target=Target("at most", 0)),
        Figure("distinct", "of them, tasks that differ in more than names from all others of their split", distinct,
               of=compared),
        Figure("missing", "tasks for which no problem was found", missing),
        Figure("erring", "mean reward of plans, from no step wrong to each exchanged",
               f"{erring[0]:.2f} to {erring[-1]:.2f}"),
        Figure("monotone", "steps to a higher error rate that do not raise the mean reward", kept, of=len(RATES) - 1,
               target=Target("at least", 100)),
        Figure("slowest", "kinds of tasks drawn at 100 a CPU second or more in both splits",
               sum(min(each) >= 100 for each in speeds.values()), of=len(speeds), target=Target("at least", 100)),
        Figure("steps", f"steps a second of {SESSIONS} household games through TRL's factory, one process", steps,
               digits=0, target=Target("at least", 5_000)),
    )  # fmt: skip
    tables = (
        table(("steps exchanged", "mean reward"),
              [(f"{rate:.0%}", f"{earned:.3f}") for rate, earned in zip(RATES, erring, strict=True)]),
        table(("band", "mean cost", "mean states evaluated"), [(band, *bands_of(of)) for band, of in bands.items()]),
        table(("tasks a CPU second", *SPLITS),
              [(kind, *(f"{each:.0f}" for each in of)) for kind, of in speeds.items()]),
    )  # fmt: skip
    explanation = "Tasks of sixteen kinds from easy bands, rooms and requests, and what their judges pay for answers."
    return Report("rewards", "Any PDDL domain", "Rewards for language models", explanation, figures, tables)


def speed_of(tallies: Iterable[Tally]) -> float:
    """Return how many tasks were drawn a CPU second."""
    made, seconds = zip(*((each.counts["drawn"], each.seconds) for each in tallies), strict=True)
    return float(sum(made) / sum(seconds))


def bands_of(tallies: Sequence[Tally]) -> tuple[str, str]:
    """Return the mean cost of plans, and the mean of the states that were evaluated for them."""
    number = sum(each.counts["drawn"] for each in tallies)
    cost, evaluated = (sum(each.sums[name] for each in tallies) / number for name in ("cost", "evaluated"))
    return f"{cost:.1f}", f"{evaluated:.0f}"


if __name__ == "__main__":
    main()
