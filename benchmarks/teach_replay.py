"""Generated sessions under TEACh's own rules: played by its wrapper, their EDH instances judged as TEACh judges them.

    python -m benchmarks.teach_replay [--sessions 120] [--judged 480] [--seed 0] [--embodied] [--workers 2]
                                      [--dataset DIR] [--teach PATH --python PYTHON [--folder FOLDER]]
                                      [--save] [--json FILE]

The wrapper and the rules are written anew from descriptions of TEACh's (``benchmarks/originals/wrapper.py``,
``benchmarks/originals/edh_rules.py``). The first sessions are played: the start state is restored by SetObjectPoses and
the like, every interaction is a click into a picture of 900 x 900. The instances of all ``--judged`` sessions get a
verdict before their first action, midway and at the end, by the rules and by our check. ``--dataset`` takes sessions
that are there already.

``--teach`` plays all sessions by TEACh's own code instead, as it stands in a checkout (about 15 CPU seconds each):
its replay restores the start and plays the clicks in AI2-THOR's client 3.1.0, whose build is our program; its checks
judge each EDH instance; what it writes at the start, at the ends of instances and at the end is compared with what is
recorded. ``PYTHON`` has what TEACh needs: ai2thor 3.1.0, pydantic before 2, fuzzywuzzy, pydub and others. ``--folder``
keeps its answers, and an interrupted run goes on there.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.command import ROOT, benchmark_parser, given_path, keep
from benchmarks.originals.edh_rules import verdict
from benchmarks.originals.wrapper import Wrapper
from benchmarks.results import Figure, Report, Target
from chorewright.domains.library import household_vocabulary
from chorewright.domains.teach.definitions import shipped_definitions
from chorewright.domains.teach.progress import check
from chorewright.domains.teach.world import state_changes_task, world_of
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.household.moments import call_of
from chorewright.generator.production.line import run
from chorewright.generator.teach.export.exporter import edh_instances, game
from chorewright.generator.teach.export.session import TeachSession, session
from chorewright.generator.training.exporter import make_exporter
from chorewright.replay.teach.world import TeachWorld, teach_metadata

Thing = dict[str, Any]

MOMENTS = ("before", "midway", "at the end")


def main() -> None:
    """Generate or read sessions, play and judge them, print."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--sessions", type=int, default=120, help="how many are played")
    parser.add_argument("--judged", type=int, default=480, help="of how many the instances are judged")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--dataset", type=given_path)
    parser.add_argument("--embodied", action="store_true", help="sessions in which the Commander has a body")
    parser.add_argument(
        "--teach", type=given_path, metavar="PATH", help="a checkout of TEACh, whose own code plays all"
    )
    parser.add_argument("--python", default=sys.executable, help="a Python that has what TEACh needs")
    parser.add_argument("--folder", type=Path, help="where TEACh's answers are kept")
    options = parser.parse_args()
    count = options.sessions if options.teach else max(options.sessions, options.judged)
    with tempfile.TemporaryDirectory() as folder:
        data = options.dataset or Path(folder) / "data"
        if options.dataset is None:
            chosen = (("embodied", True),) if options.embodied else ()
            run(GenerateConfig("teach", count, options.seed, options=chosen), data, workers=options.workers)
        if options.teach:
            told = list(original(data, options.folder or Path(folder), options.teach, options.python, options.workers))
            keep(options, show(original_report(told)))
            return
        jobs = [(data, place, place < options.sessions) for place in range(min(count, _accepted(data)))]
        found: Counter[str] = Counter()
        with multiprocessing.get_context("spawn").Pool(options.workers) as pool:
            for number, (counts, problems) in enumerate(pool.imap(_job, jobs), 1):
                found.update(counts)
                for problem in problems:
                    print(problem)
                if sys.stderr.isatty():
                    print(f"\r{number} of {len(jobs)} sessions", end="", file=sys.stderr)
    keep(options, show(report(report_figures(found))))


def show(report: Report) -> Report:
    """Print the figures of a report; return it."""
    for figure in report.figures:
        print(f"{figure.label}: {figure.value}" + (f" of {figure.of}" if figure.of is not None else ""))
    return report


@cache
def _episodes(data: Path) -> list[Episode]:
    return [episode for episode in Dataset(data) if episode.outcome.accepted]


def _accepted(data: Path) -> int:
    return len(_episodes(data))


def _job(job: tuple[Path, int, bool]) -> tuple[Counter[str], list[str]]:
    data, place, played = job
    return examine(_episodes(data)[place], played)


def examine(episode: Episode, played: bool) -> tuple[Counter[str], list[str]]:
    """Return counts of what holds of a session, and in words what does not.

    Args:
        episode: The session.
        played: Whether the wrapper plays it; its instances are judged in any case.
    """
    one = session(episode, shipped_definitions())
    instances = json.loads(json.dumps(list(edh_instances(one))))
    stops = {(number, moment): each for each in instances for moment, number in zip(MOMENTS, _span(each), strict=True)}
    counts: Counter[str] = Counter({"judged": 1, "instances": len(instances)})
    problems: list[str] = []
    for number, things in enumerate(states(episode, one)):
        for moment in MOMENTS:
            for each in (each for (at, when), each in stops.items() if (at, when) == (number, moment)):
                judge(each, moment, things, "", counts)
    if played:
        problems = [f"session {episode.index}, {episode.task}: {why}" for why in play(episode, one, instances, counts)]
    return counts, problems


def _span(instance: Mapping[str, Any]) -> tuple[int, int, int]:
    start, end = int(instance["pred_start_idx"]), len(instance["interactions"])
    return start, (start + end) // 2, end


def states(episode: Episode, one: TeachSession) -> Iterator[list[Thing]]:
    """Yield the objects before each interaction of a session, and at its end."""
    world = TeachWorld()
    world.reset(one.initial)
    steps = iter(episode.steps)
    for interaction in (*one.interactions, None):
        yield teach_metadata(world.scene(), world.memory)
        if interaction is not None and interaction.drives:
            step = next(steps)
            world.step(call_of(step.action, step.arguments))


def judge(instance: Mapping[str, Any], moment: str, things: Sequence[Thing], who: str, counts: Counter[str]) -> None:
    """Count whether the rules and our check agree on an instance, and whether the verdict is what it ought to be."""
    changes = instance["state_changes"]["objects"]
    progress = check(state_changes_task(changes), world_of(list(things)))
    told = verdict(changes, things)
    counts[f"{who}{moment}: alike"] += told == (progress.success, progress.total, progress.satisfied)
    if moment == MOMENTS[0]:
        expected = [instance[f"expected_init_goal_conditions_{key}"] for key in ("total", "satisfied")]
        counts[f"{who}open"] += not told[0] and list(told[1:]) == expected
    elif moment == MOMENTS[2]:
        counts[f"{who}done"] += told[0]


def play(episode: Episode, one: TeachSession, instances: Sequence[Thing], counts: Counter[str]) -> list[str]:
    """Let the wrapper play a session, and judge its instances by what is then the case; return what went wrong."""
    recorded = json.loads(json.dumps(game(one)))["tasks"][0]["episodes"][0]
    wrapper = Wrapper({name: list(each) for name, each in household_vocabulary().classes.items()})
    wrapper.load(recorded["world"], recorded["initial_state"], recorded["commander_embodied"] == "True")
    loaded, wrong, posed = not wrapper.problems, 0, True
    stops = {(number, moment): each for each in instances for moment, number in zip(MOMENTS, _span(each), strict=True)}
    for number, interaction in enumerate((*recorded["interactions"], None)):
        for (at, moment), each in stops.items():
            if at == number:
                judge(each, moment, wrapper.objects(), "wrapper ", counts)
        if interaction is not None:
            done = wrapper.play(interaction)
            wrong += "query" not in interaction and done != bool(interaction["success"])
            posed &= "pose" not in interaction or _near(wrapper.pose(), interaction["pose"])
    task = shipped_definitions().task(one.task.name, one.task.params)
    happy = check(task, world_of(wrapper.objects())).success
    clicked = len(wrapper.problems) == 0 or not loaded
    told = {"played": True, "loaded": loaded, "acted": not wrong, "clicked": clicked, "task": happy, "pose": posed}
    counts.update({name: int(value) for name, value in told.items()})
    counts["wrapper instances"] += len(instances)
    return [
        *wrapper.problems,
        *([f"{wrong} actions went otherwise"] if wrong else []),
        *([] if happy else ["not done"]),
    ]


def _near(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(abs(a - b) <= 1e-3 for a, b in zip(one, other, strict=True))


def report_figures(found: Counter[str]) -> tuple[Figure, ...]:
    """Return the figures of all sessions."""

    def share(name: str, label: str, part: str, whole: str) -> Figure:
        return Figure(name, label, found[part], of=found[whole], digits=1, target=Target("at least", 100))

    alike = sum(found[f"{moment}: alike"] for moment in MOMENTS)
    there = sum(found[f"wrapper {moment}: alike"] for moment in MOMENTS)
    found = found + Counter({"alike": alike, "verdicts": 3 * found["instances"], "wrapper alike": there,
                             "wrapper verdicts": 3 * found["wrapper instances"]})  # fmt: skip
    return (
        share("loaded", "sessions whose start state TEACh's wrapper restores", "loaded", "played"),
        share("acted", "sessions in which every action ends as recorded", "acted", "played"),
        share("clicked", "sessions in which every click means the recorded object", "clicked", "played"),
        share("task", "sessions whose task is done then", "task", "played"),
        share("pose", "sessions whose poses are as recorded", "pose", "played"),
        Figure("instances", "EDH instances a session", found["instances"] / max(found["judged"], 1), digits=2),
        share("alike", "EDH verdicts and counts that are those of TEACh's rules", "alike", "verdicts"),
        share("open", "EDH instances that are open before, by the counts they name", "open", "instances"),
        share("done", "EDH instances that are done at the end", "done", "instances"),
        share("wrapper_alike", "the same verdicts, in the wrapper", "wrapper alike", "wrapper verdicts"),
        share("wrapper_open", "open before, in the wrapper", "wrapper open", "wrapper instances"),
        share("wrapper_done", "done at the end, in the wrapper", "wrapper done", "wrapper instances"),
    )


PLAYER = ROOT / "benchmarks" / "originals" / "teach_player.py"


def original(data: Path, folder: Path, teach: Path, python: str, workers: int) -> Iterator[Thing]:
    """Yield what TEACh's own code says of each session of a dataset; see ``originals/teach_player.py``."""
    export = folder / "export"
    if not export.exists():
        make_exporter("teach", {}).write(Dataset(data), export)
    games = sorted(path.name.split(".")[0] for path in export.glob("games/*/*.game.json"))
    done = {told["game"]: told for told in _answers(folder)}
    left = [game for game in games if game not in done]
    program = f"{sys.executable} -m chorewright.replay.household.server.program"
    around = os.environ | {"PYTHONPATH": str(teach / "src")}
    running = [
        subprocess.Popen(
            [python, str(PLAYER), str(export), program, str(folder / f"{len(done)}-{part}.jsonl"), *own],
            env=around, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        for part in range(workers) if (own := left[part::workers])
    ]  # fmt: skip
    if any(tuple(each.wait() for each in running)):
        raise SystemExit(f"TEACh's code ended with an error: run {PLAYER.name} for one game to see it")
    done = {told["game"]: told for told in _answers(folder)}
    yield from (done[game] for game in games)


def _answers(folder: Path) -> Iterator[Thing]:
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            yield json.loads(line)


def original_report(told: Sequence[Thing]) -> Report:
    """Return the figures of sessions played by TEACh's own code."""
    verdicts = [(when, each) for session in told for one in session["verdicts"] for when, each in one.items()]
    own = [check(state_changes_task(each["changes"]), world_of(each["objects"])) for _, each in verdicts]
    alike = sum(
        [one.success, one.total, one.satisfied] == each["told"] for one, (_, each) in zip(own, verdicts, strict=True)
    )
    instances = sum(len(session["verdicts"]) for session in told)

    def share(name: str, label: str, value: int, of: int) -> Figure:
        return Figure(name, label, value, of=of, digits=1, target=Target("at least", 100))

    def sessions(name: str, label: str, key: str, empty: bool = False) -> Figure:
        return share(name, label, sum(bool(session[key]) != empty for session in told), len(told))

    def at(moment: str, done: bool) -> int:
        return sum(each["told"][0] == done for when, each in verdicts if when == moment)

    return Report(
        name="teach_original",
        group="TEACh",
        title="TEACh: sessions and EDH instances under the original's own code",
        explanation="TEACh's own replay, unmodified, in AI2-THOR's client 3.1.0 with our program as its build: it "
        "restores each start, plays every action and judges the EDH instances; all that it writes of the objects is "
        "compared with what is recorded.",
        figures=(
            sessions("loaded", "sessions whose start TEACh restores", "loaded"),
            sessions("start", "sessions whose start TEACh then writes as it is recorded", "start", True),
            sessions("acted", "sessions in which every action ends as recorded, on the recorded object", "wrong", True),
            sessions("task", "sessions whose task is done then", "task"),
            sessions("final", "sessions whose end TEACh writes as it is recorded", "final", True),
            sessions("restored", "sessions all of whose EDH differences restore the states", "unrestored", True),
            Figure("instances", "EDH instances", instances),
            share("alike", "verdicts and counts before, midway and at the end that are ours", alike, len(verdicts)),
            share("open", "EDH instances that are open before", at("before", False), instances),
            share("done", "EDH instances that are done at the end", at("at the end", True), instances),
        ),
    )  # fmt: skip


def report(figures: tuple[Figure, ...]) -> Report:
    """Return the report of a run."""
    return Report(
        name="teach_replay",
        group="TEACh",
        title="TEACh: sessions played by its wrapper, EDH instances judged by its rules",
        explanation="A wrapper like TEACh's restores the start states from positions and plays every interaction by "
        "its click; rules written from TEACh's description judge the EDH instances before, midway and at the end.",
        figures=figures,
    )


if __name__ == "__main__":
    main()
