"""Datasets drawn, exported and read back: pictures, masks and coordinates hold what they should.

    python -m benchmarks.pictures [--alfred 200] [--teach 50] [--seed 7] [--folder DIR] [--workers 2]
                                  [--save] [--json FILE]

ALFRED's episodes are generated, drawn (``replay --render``) and exported with pictures; then the files are
read back by the rules of ALFRED's own loader. Every picture must be what the renderer draws, every mask must
mean its target, and the episode must reach its goal when each interaction is told by its mask alone. TEACh's
sessions are exported and run by their relative coordinates alone, in pictures of 900 x 900. Seconds are
those of processors, the workers' too, scaled to the whole of ALFRED: 8,055 demonstrations.
"""

from __future__ import annotations

import json
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from PIL import Image
from rich.console import Console
from rich.table import Table

from benchmarks.command import benchmark_parser, keep
from benchmarks.results import Figure, Report, Target
from chorewright.generator.alfred.benchmark import world_for_alfred
from chorewright.generator.alfred.export.exporter import AlfredExporter, AlfredExportOptions, trial
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.household.moments import HouseholdMoments
from chorewright.generator.household.spawning import room_of
from chorewright.generator.production.line import run
from chorewright.generator.showing.frames import FrameRequest, read_frames, record
from chorewright.generator.teach.benchmark import teach_world
from chorewright.generator.teach.export.session import game_id
from chorewright.generator.training.exporter import make_exporter
from chorewright.replay.household.pointing import PointingWorld, mask_of, runs
from chorewright.replay.household.room import ALFRED_SETTINGS
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.simulator import Argument, Frame, SimulatorAction
from chorewright.replay.teach.world import INTERACTIONS, TeachWorld

DEMONSTRATIONS, HOURS = 8055, 1.5
"""Of ALFRED; and the hours on two cores in which they are to be drawn."""

TEACH_SIZE = 900
Made = TypeVar("Made")


@dataclass(slots=True)
class Findings:
    """What was compared, and how much of it was right.

    Attributes:
        episodes: How many there were; ``reached``: of them ended as they had when they were made.
        frames: Pictures compared; ``equal``: of them were as they had been drawn.
        masks: Interactions that have one; ``decoded``: of them show just what is seen of the target.
        asked: Interactions; ``hit``: of them meant their target by the mask or coordinate alone.
        misses: Some of the others.
    """

    episodes: int = 0
    reached: int = 0
    frames: int = 0
    equal: int = 0
    masks: int = 0
    decoded: int = 0
    asked: int = 0
    hit: int = 0
    misses: list[str] = field(default_factory=list)


def target_of(arguments: str) -> str:
    """Return the id of what a stored step is about, or an empty text."""
    told = json.loads(arguments)
    return str(told.get("receptacleObjectId") or told.get("objectId") or "")


def final(episode: Episode) -> object:
    """Return the objects at the end of an episode as it is stored."""
    world = world_for_alfred if episode.benchmark == "alfred" else teach_world
    *_, last = HouseholdMoments(world).moments(episode)
    return last.world.scene.objects


def check_alfred(folder: Path, exported: Path) -> Findings:
    """Read an export of ALFRED's episodes and the drawn pictures back, and act on the masks alone."""
    documents = {path.parent.name: path for path in exported.rglob("traj_data.json")}
    drawn = stored_frames(folder)
    found = Findings()
    for episode in Dataset(folder):
        path = documents[trial(episode)]
        data = json.loads(path.read_text("utf-8"))
        pictures = sorted((path.parent / "raw_images").iterdir())
        actions = data["plan"]["low_actions"]
        for moment in HouseholdMoments(world_for_alfred).moments(episode):
            frame = moment.world.frame(300)
            index, step, stored = next(drawn)
            exact = (index, step) == (episode.index, moment.number) and (stored.rgb == frame.rgb).all()
            exact = exact and (stored.instances == frame.instances).all() and stored.names == frame.names
            found.frames += 1
            found.equal += bool(exact and (np.asarray(Image.open(pictures[moment.number])) == frame.rgb).all())
            pointed = actions[moment.number]["discrete_action"]["args"] if moment.number < len(actions) else {}
            if pointed:
                found.masks += 1
                seen = frame.mask(target_of(episode.steps[moment.number].arguments))
                found.decoded += bool((mask_of(pointed["mask"]) == seen).all() and runs(seen) == pointed["mask"])
        world = PointingWorld(ThorWorld(ALFRED_SETTINGS))
        act(world, episode, found, [by_mask(action) for action in actions])
        found.episodes += 1
        found.reached += world.scene().objects == final(episode)
    return found


def stored_frames(folder: Path) -> Iterator[tuple[int, int, Frame]]:
    """Yield all pictures of a dataset."""
    for entry in Dataset(folder).manifest.shards:
        yield from read_frames(folder, entry.shard)


def by_mask(action: Mapping[str, Any]) -> SimulatorAction | None:
    """Return an exported interaction without the objects' ids, or None if it is none or has no mask."""
    pointed = action["discrete_action"]["args"]
    if not pointed:
        return None
    api = action["api_action"]
    kept = {key: value for key, value in api.items() if key not in ("action", "objectId", "receptacleObjectId")}
    return SimulatorAction(api["action"], {**kept, "mask": pointed["mask"]})


def check_teach(folder: Path, exported: Path) -> Findings:
    """Run TEACh's sessions by the coordinates in the exported games alone."""
    games = {path.name.split(".")[0]: path for path in exported.glob("games/*/*.game.json")}
    found = Findings()
    for episode in Dataset(folder):
        game = json.loads(games[game_id(episode)].read_text("utf-8"))
        told = [
            each
            for each in game["tasks"][0]["episodes"][0]["interactions"]
            if each["agent_id"] == 1 and ("pose" in each or "x" in each)
        ]
        assert len(told) == len(episode.steps), (len(told), len(episode.steps))
        world = PointingWorld(TeachWorld(), TEACH_SIZE)
        clicks = [by_click(step.action, each) for step, each in zip(episode.steps, told, strict=True)]
        act(world, episode, found, clicks)
        found.episodes += 1
        found.reached += world.scene().objects == final(episode)
    return found


def by_click(name: str, told: Mapping[str, Any]) -> SimulatorAction | None:
    """Return a session's interaction with its coordinates alone, or None for a move."""
    return SimulatorAction(name, {"x": told["x"], "y": told["y"]}) if name in INTERACTIONS else None


def act(world: PointingWorld, episode: Episode, found: Findings, pointed: Sequence[SimulatorAction | None]) -> None:
    """Run an episode's steps, its interactions as they are pointed at; after a miss by the stored ids.

    What failed when it was recorded, as somebody clicked beside it, has to fail.
    """
    world.reset(room_of(episode))
    for number, step in enumerate(episode.steps):
        told: dict[str, Argument] = json.loads(step.arguments)
        stored = SimulatorAction(
            str(told.get("action", step.action)), {key: value for key, value in told.items() if key != "action"}
        )
        target, action = target_of(step.arguments), pointed[number]
        if not target:
            world.step(stored)
            continue
        found.asked += 1
        success = action is not None and world.step(action).success
        if success == step.success and (world.target == target or not success):
            found.hit += 1
            continue
        found.misses.append(f"episode {episode.index}, step {number}: {step.action} {target}, not {world.target}")
        if step.success and not success:
            world.step(stored)


def timed(work: Callable[[], Made]) -> tuple[Made, float]:
    """Return what something gives, and the processor seconds that it took, in all processes."""

    def spent() -> float:
        times = os.times()
        return times.user + times.system + times.children_user + times.children_system

    before = spent()
    made = work()
    return made, spent() - before


def show(console: Console, name: str, found: Findings) -> list[Figure]:
    """Print the shares that were right; return them."""
    table = Table("what", "right", "of", "%", title=name)
    figures = []
    rows = (
        ("frames", "pictures equal to the renderer's", found.equal, found.frames),
        ("masks", "masks that show just the target", found.decoded, found.masks),
        ("hits", "interactions that hit their target", found.hit, found.asked),
        ("episodes", "episodes that end as they did", found.reached, found.episodes),
    )
    for key, what, right, count in rows:
        if count:
            table.add_row(what, str(right), str(count), f"{100 * right / count:.2f}")
            target = Target("at least", 99) if key == "hits" else None
            figures.append(Figure(f"{name.lower()}_{key}", f"{name}: {what}", right, of=count, digits=2, target=target))
    console.print(table)
    for miss in found.misses[:5]:
        console.print(miss, markup=False)
    return figures


def main() -> None:
    """Make, draw, export, read back; print what was right, and the seconds."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--alfred", type=int, default=200, help="episodes")
    parser.add_argument("--teach", type=int, default=50, help="sessions")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="keep the datasets here, and take what is there already")
    arguments = parser.parse_args()
    console = Console()
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as temporary:
        root = arguments.folder or Path(temporary)
        if arguments.alfred:
            figures += alfred(console, root / "alfred", arguments.alfred, arguments.seed, arguments.workers)
        if arguments.teach:
            folder = root / "teach"
            run(GenerateConfig("teach", arguments.teach, arguments.seed, 10), folder, workers=arguments.workers)
            make_exporter("teach", {}).write(Dataset(folder), root / "teach-export")
            figures += show(console, "TEACh", check_teach(folder, root / "teach-export"))
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    console.print(f"peak memory of a process {peak / 1024:.0f} MB")
    figures.append(Figure("memory", "peak memory of a process", round(peak / 1024), "MB"))
    keep(arguments, report(figures))


def report(figures: Sequence[Figure]) -> Report:
    """Return what was right of all datasets."""
    return Report(
        name="pictures",
        group="Rooms and pictures",
        title="Pictures, masks and coordinates, read back",
        explanation="Datasets generated, drawn, exported, and read back by the rules of the benchmarks' own loaders; "
        "interactions are told by ALFRED's mask alone, or by TEACh's coordinate alone.",
        figures=tuple(figures),
    )


def alfred(console: Console, folder: Path, count: int, seed: int, workers: int) -> list[Figure]:
    """Make, draw, export and check ALFRED's episodes."""
    _, making = timed(lambda: run(GenerateConfig("alfred", count, seed, 10), folder, workers=workers))
    started = time.perf_counter()
    drawn, drawing = timed(lambda: record(folder, FrameRequest(), workers))
    wall = time.perf_counter() - started
    target = folder.with_name("alfred-export")
    _, writing = timed(lambda: AlfredExporter(AlfredExportOptions(images=True)).write(Dataset(folder), target))
    figures = show(console, "ALFRED", check_alfred(folder, target))
    frames = sum(each.frames for each in drawn)
    if any(each.kept for each in drawn):
        console.print("pictures were there already: seconds are left out")
        return figures
    table = Table("processor seconds", f"{count} episodes", "a frame, ms", f"{DEMONSTRATIONS}, 2 cores, hours")
    for name, seconds in (
        ("generated", making),
        ("drawn: colours, depth, instances", drawing),
        ("exported with pictures", writing),
    ):
        hours = seconds / count * DEMONSTRATIONS / 2 / 3600
        table.add_row(name, f"{seconds:.1f}", f"{1000 * seconds / frames:.2f}", f"{hours:.2f}")
    console.print(table)
    console.print(
        f"{frames} frames, {frames / count * DEMONSTRATIONS:,.0f} of {DEMONSTRATIONS} demonstrations;"
        f" aim {HOURS} hours for drawing; {wall:.1f} s by the clock with {workers} workers"
    )
    hours = drawing / count * DEMONSTRATIONS / 2 / 3600
    label = f"colours, depth and instances of {DEMONSTRATIONS:,} such demonstrations on two cores"
    return [
        *figures,
        Figure("frame_ms", "colours, depth and instances of a frame", 1000 * drawing / frames, "ms", digits=1),
        Figure("hours", label, hours, "h", digits=1, target=Target("at most", HOURS)),
    ]


if __name__ == "__main__":
    main()
