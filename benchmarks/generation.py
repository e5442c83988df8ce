"""Generated episodes next to ALFRED's: kinds of tasks, lengths, goal conditions, rooms, acceptance and speed.

    python -m benchmarks.generation [--episodes 1000] [--workers 2] [--seed 0] [--rows FILE]
                                    [--save] [--json FILE]

The episodes are made by the ALFRED benchmark and thrown away; the paper's figures are those of all published
demonstrations with a plan (7,080; Shridhar et al. 2020, and counted from the released data).
"""

from __future__ import annotations

import json
import multiprocessing
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TypedDict

from benchmarks.command import benchmark_parser, keep
from benchmarks.results import Figure, Peer, Report, Target, from_markdown
from chorewright.files.processes import collect_rarely
from chorewright.generator.alfred.benchmark import AlfredBenchmark
from chorewright.generator.alfred.options import settings
from chorewright.generator.dataset.config import Assignment, GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.household.spawning import room_of
from chorewright.problems.household.rooms import load_room

PAPER_STEPS, PAPER_CONDITIONS, PAPER_SEGMENTS, PAPER_SLICED = 49.69, 2.551, 7.50, 0.138
PAPER_TASKS = 7080

ALFRED_STEPS = {
    "look_at_obj_in_light": 37.2, "pick_and_place_simple": 28.6, "pick_and_place_simple_sliced": 34.3,
    "pick_and_place_with_movable_recep": 45.0, "pick_and_place_with_movable_recep_sliced": 75.6,
    "pick_clean_then_place_in_recep": 39.8, "pick_clean_then_place_in_recep_sliced": 74.9,
    "pick_cool_then_place_in_recep": 48.6, "pick_cool_then_place_in_recep_sliced": 79.7,
    "pick_heat_then_place_in_recep": 49.4, "pick_heat_then_place_in_recep_sliced": 80.7,
    "pick_two_obj_and_place": 56.9, "pick_two_obj_and_place_sliced": 126.2,
}  # fmt: skip
"""Mean steps of ALFRED's 6,574 training demonstrations by type of task, without the looks of each segment that others
in it undo: ALFRED's agent tilts its camera to 45 degrees before each walk."""

KNIFE_AT_HAND = {
    "pick_and_place_with_movable_recep_sliced": 56.8, "pick_clean_then_place_in_recep_sliced": 56.4,
    "pick_cool_then_place_in_recep_sliced": 58.0, "pick_heat_then_place_in_recep_sliced": 65.6,
}  # fmt: skip
"""The same of the 188 demonstrations in which the knife is put down where it cut, as ours do; in 654 others ALFRED's
agent walks away with it and back."""

NO_CHOICE = {
    "look_at_obj_in_light": 38.3, "pick_and_place_simple": 30.4, "pick_and_place_with_movable_recep": 50.6,
    "pick_clean_then_place_in_recep": 41.0, "pick_cool_then_place_in_recep": 47.0,
    "pick_heat_then_place_in_recep": 51.3, "pick_two_obj_and_place": 59.3,
}  # fmt: skip
"""The same of the 2,043 demonstrations whose room has no more copies of what is moved than the task needs. Where there
are more, ALFRED's planner takes the nearest in 42 to 49 % of each type, about as chance would.
Each walk of ALFRED's is as short as it can be, within 1 %."""

NEAR = 0.1
"""How far mean steps may be from ALFRED's."""

WARMING = 12
"""Episodes that each worker makes before time counts."""


@dataclass(frozen=True, slots=True)
class Made:
    """One episode's figures."""

    index: int
    task: str
    scene: str
    room_kind: str
    split: str
    parameters: tuple[tuple[str, str], ...]
    accepted: bool
    first: bool
    attempts: int
    rejections: tuple[str, ...]
    steps: int
    no_choice: bool
    conditions: int
    segments: int
    left: int
    right: int
    left_about: int
    right_about: int
    artefacts: tuple[str, ...]
    seconds: float
    cpu: float


@lru_cache(maxsize=1)
def benchmark() -> AlfredBenchmark:
    """Return the benchmark, one per process."""
    return AlfredBenchmark()


def make(work: tuple[GenerateConfig, Assignment]) -> Made:
    """Make one episode and keep its figures."""
    config, assignment = work
    started, worked = time.perf_counter(), time.process_time()
    episode = benchmark().episode(assignment.index, config, assignment)
    return Made(
        index=assignment.index,
        task=episode.task,
        scene=episode.room.name,
        room_kind=load_room(episode.room.name).room_kind,
        split=episode.split,
        parameters=episode.parameters,
        accepted=episode.outcome.accepted,
        first=episode.outcome.accepted and episode.parameters == assignment.parameters,
        attempts=episode.attempts,
        rejections=episode.rejections,
        steps=len(episode.steps),
        no_choice=not has_choice(episode),
        conditions=len(episode.outcome.conditions),
        segments=len(episode.segments),
        **turns(episode),
        artefacts=artefacts(episode),
        seconds=time.perf_counter() - started,
        cpu=time.process_time() - worked,
    )


def has_choice(episode: Episode) -> bool:
    """Return whether an episode's room has more copies of what is moved than its task needs."""
    copies = Counter(thing.kind for thing in room_of(episode).objects)
    needed = 2 if "two" in episode.task else 1
    return any(
        copies[kind] > (needed if name == "object" else 1)
        for name, kind in episode.parameters
        if name not in ("receptacle", "lamp")
    )


class Turns(TypedDict):
    """Turns of an episode, and pairs of turns the same way: turns about."""

    left: int
    right: int
    left_about: int
    right_about: int


def turns(episode: Episode) -> Turns:
    """Count the turns of an episode."""
    names = [step.action for step in episode.steps]
    pairs = list(pairwise(names))
    left, right = "RotateLeft_90", "RotateRight_90"
    return Turns(
        left=names.count(left),
        right=names.count(right),
        left_about=pairs.count((left, left)),
        right_about=pairs.count((right, right)),
    )


def artefacts(episode: Episode) -> tuple[str, ...]:
    """Return what no demonstration of ALFRED has: names of oddities, each once."""
    told = [(segment.action, segment.arguments) for segment in episode.segments]
    last = told[-2][0] if len(told) > 1 else ""
    found = {
        "ends in GotoLocation": last == "GotoLocation",
        "GotoLocation to nothing": any(name == "GotoLocation" and not kinds for name, kinds in told),
        "faucet toggled by itself": any(name == "ToggleObject" and kinds[:1] == ("faucet",) for name, kinds in told),
        "two slices that end in SliceObject": last == "SliceObject" and episode.task == "pick_two_obj_and_place_sliced",
    }
    return tuple(name for name, there in found.items() if there and episode.outcome.accepted)


ARTEFACTS = (
    "ends in GotoLocation",
    "GotoLocation to nothing",
    "faucet toggled by itself",
    "two slices that end in SliceObject",
)


def warm(work: Sequence[tuple[GenerateConfig, Assignment]]) -> None:
    """Make some episodes first, as workers of ``generate`` do, so that compiled code is loaded."""
    collect_rarely()
    for each in work:
        make(each)


def by_task(made: Sequence[Made]) -> str:
    """Return a markdown table of the task types, beside ALFRED's shares."""
    shares = settings().task_shares
    lines = [
        "| task | episodes | % | ALFRED % | accepted % | steps mean | ALFRED steps "
        "| no choice | ALFRED's | conditions | segments |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for task in sorted({one.task for one in made}):
        own = [one for one in made if one.task == task]
        good = [one for one in own if one.accepted]
        lines.append(
            f"| {task} | {len(own)} | {100 * len(own) / len(made):.1f} | "
            f"{100 * shares.get(task, 0.0) / PAPER_TASKS:.1f} | {100 * len(good) / len(own):.1f} | "
            f"{_mean([one.steps for one in good]):.1f} | {ALFRED_STEPS[task]} | "
            f"{_mean([one.steps for one in good if one.no_choice]):.1f} | {NO_CHOICE.get(task, '-')} | "
            f"{_mean([one.conditions for one in good]):.2f} | "
            f"{_mean([one.segments for one in good]):.2f} |"
        )
    return "\n".join(lines)


def figures(made: Sequence[Made], passed: float, workers: int) -> str:
    """Return a markdown table of the whole, beside the paper's figures."""
    good = [one for one in made if one.accepted]
    tuples = {(one.task, one.parameters, one.scene) for one in good}
    attempts = sum(one.attempts for one in made)
    slots = [dict(one.parameters) for one in good]
    seconds = sorted(one.seconds for one in made)
    rows = [
        ("steps per episode (mean)", f"{_mean([one.steps for one in good]):.2f}", f"{PAPER_STEPS}"),
        ("goal conditions", f"{_mean([one.conditions for one in good]):.3f}", f"{PAPER_CONDITIONS}"),
        ("segments with End", f"{_mean([one.segments for one in good]):.2f}", f"{PAPER_SEGMENTS:.2f}"),
        ("sliced share", f"{_mean(['sliced' in one.task for one in good]):.3f}", f"{PAPER_SLICED}"),
        ("task types (sliced apart)", str(len({one.task for one in good})), "13"),
        ("rooms", str(len({one.scene for one in good})), "120"),
        ("distinct tuples", str(len(tuples)), "2,522 in 7,080 episodes"),
        ("object classes", str(len({slot["object"] for slot in slots if "object" in slot})), "58"),
        ("receptacle classes", str(len({kind for slot in slots for name, kind in slot.items()
                                        if name in ("receptacle", "lamp")})), "26"),
        ("episodes accepted", f"{100 * len(good) / len(made):.2f} %", "-"),
        ("accepted with the assigned tuple", f"{100 * _mean([one.first for one in made]):.2f} %", "-"),
        ("attempts (spawns) accepted", f"{100 * len(good) / max(1, attempts):.2f} %", "69 % (PR 45)"),
        ("turns left : right", f"{sum(one.left for one in good) / max(1, sum(one.right for one in good)):.2f}", "0.95"),
        ("turns about, left : right", f"{sum(one.left_about for one in good)} : "
                                      f"{sum(one.right_about for one in good)}", "3,389 : 3,178"),
        *((f"artefact: {name}", str(sum(name in one.artefacts for one in good)), "0") for name in ARTEFACTS),
        ("episodes per second", f"{len(made) / passed:.1f} ({workers} workers)", "-"),
        ("processor ms per episode (mean)", f"{1000 * _mean([one.cpu for one in made]):.0f}", "-"),
        ("ms per episode: median, p95", f"{1000 * statistics.median(seconds):.0f}, "
                                        f"{1000 * seconds[int(0.95 * (len(seconds) - 1))]:.0f}", "-"),
    ]  # fmt: skip
    lines = ["| figure | here | ALFRED |", "|---|---|---|"]
    return "\n".join(lines + [f"| {name} | {here} | {paper} |" for name, here, paper in rows])


def _mean(values: Sequence[float]) -> float:
    return statistics.mean(values) if values else 0.0


def report(made: Sequence[Made], passed: float, workers: int) -> Report:
    """Return the figures of all episodes."""
    good = [one for one in made if one.accepted]
    paper = "Shridhar et al. 2020 and its released data"
    means = {task: _mean([one.steps for one in good if one.task == task]) for task in {one.task for one in good}}
    alone = {task: _mean([one.steps for one in good if one.no_choice and one.task == task]) for task in means}
    whole = {task: steps for task, steps in means.items() if not task.endswith("_sliced")}
    near, near_sliced, near_alone = (
        [task for task in steps if task in own and abs(own[task] / steps[task] - 1) <= NEAR]
        for steps, own in ((ALFRED_STEPS, whole), (KNIFE_AT_HAND, means), (NO_CHOICE, alone))
    )
    return Report(
        name="generation",
        group="ALFRED",
        title="Generated ALFRED episodes",
        explanation="Episodes of the ALFRED recipe beside ALFRED's 7,080 train and validation demonstrations that have "
        "a plan.",
        figures=(
            Figure("accepted", "episodes accepted", len(good), of=len(made)),
            Figure("assigned", "accepted with the tuple that they were meant for", sum(one.first for one in made),
                   of=len(made), target=Target("at least", 95)),
            Figure("per_second", "episodes a second on two idle cores, by their CPU time",
                   2 / _mean([one.cpu for one in made]), digits=1, target=Target("at least", 25)),
            Figure("steps", "steps an episode, mean", _mean([one.steps for one in good]), digits=2,
                   peers=(Peer("ALFRED", f"{PAPER_STEPS}", paper),)),
            Figure("near_steps", "types of tasks without slices with mean steps within 10 % of ALFRED's",
                   len(near), of=len(whole),
                   target=Target("at least", 100)),
            Figure("near_sliced", "sliced types within 10 % of ALFRED's that put the knife down where it cut",
                   len(near_sliced), of=len(KNIFE_AT_HAND.keys() & means), target=Target("at least", 100)),
            Figure("near_alone", "types within 10 % of ALFRED's where there are no more copies than the task needs",
                   len(near_alone), of=len(NO_CHOICE.keys() & means), target=Target("at least", 100)),
            Figure("conditions", "goal conditions", _mean([one.conditions for one in good]), digits=3,
                   peers=(Peer("ALFRED", f"{PAPER_CONDITIONS}", paper),)),
            Figure("spawns", "attempts (spawns) accepted", len(good), of=max(1, sum(one.attempts for one in made)),
                   target=Target("at least", 90), peers=(Peer("ALFRED", "69 %", "PR 45"),)),
            Figure("left_right", "turns left over turns right",
                   sum(one.left for one in good) / max(1, sum(one.right for one in good)), digits=2,
                   peers=(Peer("ALFRED", "0.95", paper),)),
            Figure("artefacts", "episodes with an artefact that ALFRED's lack",
                   sum(bool(one.artefacts) for one in good),
                   target=Target("at most", 0)),
        ),
        tables=(from_markdown(figures(made, passed, workers)), from_markdown(by_task(made))),
    )  # fmt: skip


def main() -> None:
    """Run the benchmark from the command line."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--episodes", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rows", type=Path, help="write the figures of every episode to this file")
    arguments = parser.parse_args()
    config = GenerateConfig("alfred", arguments.episodes, arguments.seed)
    started = time.perf_counter()
    assignments = benchmark().assign(config, arguments.episodes)
    first = [(config, one) for one in assignments[:: max(1, len(assignments) // WARMING)]]
    with multiprocessing.Pool(arguments.workers, warm, (first,)) as pool:
        made = list(pool.imap(make, ((config, one) for one in assignments), chunksize=4))
    passed = time.perf_counter() - started
    print(by_task(made), end="\n\n")
    print(figures(made, passed, arguments.workers), end="\n\n")
    rooms = Counter(one.room_kind for one in made)
    splits = Counter(one.split for one in made)
    print("rooms:", ", ".join(f"{kind} {number}" for kind, number in rooms.most_common()))
    print("splits:", ", ".join(f"{split} {number}" for split, number in splits.most_common()))
    reasons = Counter(reason.split(": ", 1)[1][:60] for one in made for reason in one.rejections)
    for reason, number in reasons.most_common(20):
        print(f"{number:5d} rejected: {reason}")
    for one in made:
        if not one.accepted:
            print(f"not accepted: {one.index} {one.scene} {one.rejections[-1] if one.rejections else ''}")
    if arguments.rows:
        arguments.rows.write_text(json.dumps([asdict(one) for one in made], indent=1))
    keep(arguments, report(made, passed, arguments.workers))


if __name__ == "__main__":
    main()
