"""CALVIN's table: physics, pictures, episodes and the expert, beside PyBullet's renderer in the same run.

    python -m benchmarks.calvin [--parts physics pictures chains episodes singles expert]
                                [--episodes 24] [--per-task 3] [--chains 40] [--first 300] [--scenes D]
                                [--seed 0] [--strip FILE] [--save] [--json FILE]

- physics: steps a second of one process, with and without the detector, processor seconds.
- pictures: frames a second of both cameras, ours beside TinyRenderer with the same table, of one core.
- chains: seconds for the thousand chains of the published evaluation (the reference takes 123 on 2 cores).
- episodes: a dataset with all replays on two processes: episodes an hour, bytes a frame, what replays.
- singles: a balanced dataset of single tasks for learners without replays: demonstrations a CPU second.
- expert: chains of the published evaluation, tasks in a row.

PyBullet is the extra ``calvin``.
"""

from __future__ import annotations

import json
import resource
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

import numpy as np
from PIL import Image
from rich.console import Console
from rich.table import Table

from benchmarks.command import benchmark_parser, keep
from benchmarks.results import Figure, Peer, Report, Target
from chorewright.generator.calvin.benchmark import CalvinBenchmark
from chorewright.generator.calvin.evaluation import CalvinEvaluation, ChainMeans
from chorewright.generator.calvin.export.exporter import CalvinExporter, CalvinExportOptions
from chorewright.generator.calvin.layout import check_layout
from chorewright.generator.calvin.moments import TableMoments
from chorewright.generator.calvin.options import CalvinTrial
from chorewright.generator.dataset.config import GenerateConfig, Value
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import DETECTION, configure
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.measuring.evaluation import play
from chorewright.generator.production.line import run
from chorewright.generator.showing.films import add_caption
from chorewright.generator.showing.moments import caption
from chorewright.problems.calvin.published import PUBLISHED, find_published_chains
from chorewright.problems.calvin.scenes import concrete, initial_states, scene
from chorewright.replay.calvin.engine import arm_urdf, table_urdf
from chorewright.replay.calvin.pictures import CAMERAS, TabletopRenderer, gripper_view, static_view
from chorewright.replay.calvin.pixels.painted import View
from chorewright.replay.calvin.shapes import geometry, table_links
from chorewright.replay.calvin.snapshot import tasks_done
from chorewright.replay.calvin.world import TabletopWorld

STRIP = (3, 150)
"""Chains, and pixels on a side, of the film strip."""

PARTS = ("physics", "pictures", "chains", "episodes", "singles", "expert")
FORMS = (
    ("commanded_actions", Target("at least", 98)),
    ("commanded_rel_actions", Target("at least", 90)),
    ("actions", None),
    ("rel_actions", None),
)
"""What a chain is replayed from, and the share that is to succeed."""
REFERENCE_CHAINS = 123.0
"""Seconds that CALVIN's own code takes for the thousand chains on 2 cores."""


def physics(console: Console, steps: int) -> list[Figure]:
    """Time the world."""
    figures = []
    with TabletopWorld(scene("D")) as world:
        table = Table(title="physics, one process")
        for column in ("", "steps a second"):
            table.add_column(column, justify="right" if column else "left")
        for name, key, looked in (("step", "steps", False), ("step, snapshot and 34 tasks", "steps_looked", True)):
            world.reset()
            start, rng = world.snapshot(), np.random.default_rng(0)
            started = time.process_time()
            for _ in range(steps):
                world.step((*rng.uniform(-0.5, 0.5, 6), 1))
                if looked:
                    tasks_done(start, world.snapshot())
            speed = steps / (time.process_time() - started)
            table.add_row(name, f"{speed:.0f}")
            target = None if looked else Target("at least", 200)
            figures.append(Figure(key, f"physics, {name}: a second of one process", round(speed), target=target))
        console.print(table)
    return figures


def pictures(console: Console, frames: int, scenes: list[str]) -> list[Figure]:
    """Time the renderer, and TinyRenderer with the same table, blocks and arm."""
    figures = []
    table = Table(title="frames a second of one core: colours, depth and instances")
    for column in ("scene", "camera", "ours", "TinyRenderer", "ratio"):
        table.add_column(column, justify="right" if column in ("ours", "TinyRenderer", "ratio") else "left")
    for name in scenes:
        states = [concrete(state, scene(name)) for state in initial_states()[:: 192 // frames][:frames]]
        renderer = TabletopRenderer(scene(name))
        renderer.frames(*states[0])
        for cameras in (*((camera,) for camera in CAMERAS), CAMERAS):
            started = time.process_time()
            for state in states:
                renderer.frames(*state, cameras)
            ours = (time.process_time() - started) / len(states)
            theirs = sum(_tiny(name, camera, states[:8]) for camera in cameras)
            shown = " and ".join(f"{camera} {scene(name).cameras[camera].size}" for camera in cameras)
            table.add_row(name, shown, f"{1 / ours:.0f}", f"{1 / theirs:.1f}", f"{theirs / ours:.0f}x")
            key = f"{'_'.join(cameras)}_{name.lower()}"
            peer = Peer("TinyRenderer", f"{1 / theirs:.1f} ({theirs / ours:.0f}x)", "same table, same run")
            figures.append(Figure(key, f"frames a second, scene {name}, {shown}", round(1 / ours), peers=(peer,)))
    console.print(table)
    return figures


def _tiny(name: str, camera: str, states: list[tuple[np.ndarray, np.ndarray]]) -> float:
    """Return TinyRenderer's processor seconds for a picture, the table standing as at its start."""
    bullet = import_module("pybullet")
    client = bullet.connect(bullet.DIRECT)
    panda = Path(import_module("pybullet_data").getDataPath()) / "franka_panda"
    root = ElementTree.fromstring(table_urdf(table_links(scene(name))))
    for link in root.findall("link"):
        for each in link.findall("collision"):
            seen = ElementTree.fromstring(ElementTree.tostring(each))
            seen.tag = "visual"
            link.append(seen)
    with tempfile.TemporaryDirectory() as folder:
        texts = {"table": ElementTree.tostring(root, encoding="unicode"), "arm": arm_urdf(panda)}
        bodies = {}
        for what, text in texts.items():
            path = Path(folder) / f"{what}.urdf"
            path.write_text(text)
            base = geometry()["arm"]["base"] if what == "arm" else (0, 0, 0)
            bodies[what] = bullet.loadURDF(str(path), base, useFixedBase=True, physicsClientId=client)
    blocks = []
    for block in scene(name).blocks:
        half = [length / 2 for length in block.lengths]
        shape = bullet.createVisualShape(bullet.GEOM_BOX, halfExtents=half, physicsClientId=client)
        blocks.append(bullet.createMultiBody(0, -1, shape, physicsClientId=client))
    facts, seconds = scene(name).cameras[camera], 0.0
    for number, (robot, table) in enumerate(states):
        for joint in range(7):
            bullet.resetJointState(bodies["arm"], joint, robot[7 + joint], physicsClientId=client)
        for place, block in enumerate(blocks):
            state = table[6 + 6 * place : 12 + 6 * place].tolist()
            turn = bullet.getQuaternionFromEuler(state[3:])
            bullet.resetBasePositionAndOrientation(block, state[:3], turn, physicsClientId=client)
        view: View = static_view(facts) if camera == "static" else gripper_view(scene(name), robot)
        looked = bullet.computeViewMatrix(view.eye, view.eye + view.axes[2], view.axes[1])
        lens = bullet.computeProjectionMatrixFOV(facts.fov, 1.0, facts.near, facts.far)
        started = time.process_time()
        bullet.getCameraImage(
            facts.size, facts.size, looked, lens, renderer=bullet.ER_TINY_RENDERER, shadow=0, physicsClientId=client
        )
        seconds += (time.process_time() - started) if number else 0.0
    bullet.disconnect(client)
    return seconds / (len(states) - 1)


def chains(console: Console) -> list[Figure]:
    """Time the thousand published chains."""
    find_published_chains(1)  # compiled or loaded before the clock starts
    started = time.process_time()
    find_published_chains(PUBLISHED)
    seconds = time.process_time() - started
    ratio = REFERENCE_CHAINS / seconds
    console.print(f"the {PUBLISHED} published chains: {seconds:.2f} s (reference {REFERENCE_CHAINS:.0f}; {ratio:.0f}x)")
    peer = Peer("CALVIN's own code", f"{REFERENCE_CHAINS:.0f} s on two cores", "its released code")
    return [Figure("chains_seconds", f"the {PUBLISHED:,} published chains", seconds, "s", digits=2, peers=(peer,))]


def episodes(console: Console, count: int, scenes: list[str], seed: int) -> list[Figure]:
    """Time a dataset, and weigh it here and in CALVIN's layout."""
    options = (("scenes", tuple(scenes)), ("replays", ("commanded",)))  # so that the other forms can fail
    with tempfile.TemporaryDirectory() as folder:
        target, layout = Path(folder) / "dataset", Path(folder) / "layout"
        started = time.perf_counter()
        busy = _busy(GenerateConfig("calvin", count, seed, options=options), target, workers=2)
        seconds = time.perf_counter() - started
        dataset = Dataset(target)
        made = list(dataset)
        frames = sum(len(episode.steps) for episode in made)
        native = sum(path.stat().st_size for path in (target / "data").iterdir())
        console.print(
            f"{count} chains on 2 processes: {seconds:.1f} s, {3600 * count / seconds:.0f} an hour; "
            f"{busy / count:.1f} processor seconds each, or {7200 * count / busy:.0f} an hour on 2 idle; "
            f"{len(made)} accepted ({sum(episode.attempts == 1 for episode in made)} at the first try), "
            f"{frames / len(made):.0f} frames each"
        )
        replays = Counter(
            form for episode in made for form, done in json.loads(dict(episode.extras)["replays"]).items() if done
        )
        console.print("replayed open loop: " + ", ".join(f"{form} {n}/{len(made)}" for form, n in replays.items()))
        console.print(f"stored: {native / frames:.0f} bytes a frame")
        figures = [
            Figure("accepted", "chains accepted", len(made), of=count),
            *(Figure(form, f"`{form}` that succeed", replays[form], of=len(made), target=goal) for form, goal in FORMS),
            Figure("chains_per_hour", "chains of five tasks an hour, expert and four replays of each, 2 cores",
                   round(7200 * count / busy), note=f"7200 / CPU seconds; {3600 * count / seconds:.0f} by the clock"),
            Figure("bytes", "stored, bytes a frame (states, contacts, commands)", round(native / frames)),
        ]  # fmt: skip
        for images in (False, True):
            some = made[:2]
            out = layout / str(images)
            started = time.process_time()
            CalvinExporter(CalvinExportOptions(images, workers=0)).write(some, out)
            spent = time.process_time() - started
            report = check_layout(out)
            size = sum(path.stat().st_size for path in out.rglob("episode_*.npz"))
            drawn = sum(split.frames for split in report.splits)
            what = "with pictures" if images else "without pictures"
            console.print(
                f"CALVIN's layout {what}: {size / drawn / 1000:.1f} kB a frame, {drawn / spent:.0f} frames a "
                f"second of one core, {len(report.problems)} problems"
            )
            key = "layout_images" if images else "layout"
            figures += [
                Figure(key, f"CALVIN's layout {what}, kB a frame", size / drawn / 1000, digits=1),
                Figure(f"{key}_per_second", f"frames a second written in it {what}, one core", round(drawn / spent)),
            ]
    return figures


def _busy(config: GenerateConfig, target: Path, workers: int) -> float:
    """Make a dataset; return the CPU seconds of the processes that did."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(config, target, workers=workers)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


LEARNERS: dict[str, Value] = {"scatter": 0.15, "start_hand": 0.1, "holds": False, "noise": 0.01}


def singles(console: Console, per_task: int) -> list[Figure]:
    """Time balanced datasets without replays: as the defaults move the hand, and with what learners are shown."""
    figures = []
    for key, what, more in (
        ("singles", "the usual manner", {}),
        ("singles_noisy", "noise, scatter, no holds", LEARNERS),
    ):
        asked = {"per_task": per_task, "replays": "none", "segments": DETECTION, **more}
        config = configure(CalvinBenchmark(), "calvin", 1, asked)
        with tempfile.TemporaryDirectory() as folder:
            busy = _busy(config, Path(folder) / "dataset", workers=1)
            shown = sum(len(episode.segments) for episode in Dataset(Path(folder) / "dataset"))
        console.print(f"{config.episodes} single tasks, {what}: {config.episodes / busy:.1f} a CPU second")
        label = f"demonstrations a CPU second, {per_task} of each task, `--replays none`, {what}"
        target, note = Target("at least", 2.5), f"{shown} with the lifts before them"
        figures.append(Figure(key, label, config.episodes / busy, digits=1, target=target, note=note))
    return figures


def expert(console: Console, first: int, count: int, scenes: list[str]) -> list[Figure]:
    """Let the expert do published chains."""
    figures = []
    for name in scenes:
        started = time.perf_counter()
        trial = CalvinTrial(agent="expert", scene=name, chains=count, rollouts=0, first=first, workers=2)
        result = ChainMeans.of(play(CalvinEvaluation(), trial))
        done = ", ".join(f"{100 * result.at_least(length):.1f}" for length in range(1, 6))
        seconds = time.perf_counter() - started
        console.print(
            f"expert, scene {name}, published chains {first} to {first + count - 1}: {done} % of 1 to 5 "
            f"tasks, average length {result.average_length:.3f}, {seconds:.0f} s on 2 processes"
        )
        label = f"expert, published chains {first} to {first + count - 1} of scene {name}, tasks in a row"
        figures.append(Figure(f"length_{name.lower()}", label, result.average_length, digits=3))
    return figures


def strip(path: Path, scenes: list[str]) -> None:
    """Draw a film strip of some chains: the start, and the end of each task."""
    count, size = STRIP
    with tempfile.TemporaryDirectory() as folder:
        options = (("scenes", tuple(scenes)),)
        run(GenerateConfig("calvin", count, options=options), Path(folder) / "dataset", workers=2)
        rows = [film_strip(episode, size, 6) for episode in Dataset(Path(folder) / "dataset")]
    Image.fromarray(np.concatenate(rows)).save(path, quality=82, optimize=True)


def film_strip(episode: Episode, size: int, width: int) -> np.ndarray:
    """Return a chain as rows of so many pictures: each task's last frame, after the very first one."""
    texts = {0: "the start"}
    for number in range(len(episode.segments)):
        last = max(at for at, step in enumerate(episode.steps) if step.segment == number) + 1
        texts[last] = caption(episode, number)
    shown = [
        np.asarray(add_caption(moment.frames([size])[0].rgb, texts[moment.number], 3))
        for moment in TableMoments().moments(episode)
        if moment.number in texts
    ]
    shown += [np.full_like(shown[0], 255)] * (-len(shown) % width)
    return np.concatenate([np.concatenate(shown[at : at + width], axis=1) for at in range(0, len(shown), width)])


def main() -> None:
    """Run the parts that are asked for."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--steps", type=int, default=2000, help="physics: steps")
    parser.add_argument("--frames", type=int, default=64, help="pictures: states")
    parser.add_argument("--episodes", type=int, default=24, help="episodes: chains")
    parser.add_argument("--per-task", type=int, default=3, help="singles: episodes of each task")
    parser.add_argument("--seed", type=int, default=0, help="episodes: another seed, other chains")
    parser.add_argument("--chains", type=int, default=40, help="expert: chains")
    parser.add_argument("--first", type=int, default=300, help="expert: the first chain")
    parser.add_argument("--scenes", nargs="+", default=["D"])
    parser.add_argument("--strip", type=Path, help="only draw the docs' film strip of three chains here")
    arguments, console = parser.parse_args(), Console()
    if arguments.strip:
        strip(arguments.strip, arguments.scenes)
        return
    parts: dict[str, Callable[[], list[Figure]]] = {
        "physics": lambda: physics(console, arguments.steps),
        "pictures": lambda: pictures(console, arguments.frames, arguments.scenes),
        "chains": lambda: chains(console),
        "episodes": lambda: episodes(console, arguments.episodes, arguments.scenes, arguments.seed),
        "singles": lambda: singles(console, arguments.per_task),
        "expert": lambda: expert(console, arguments.first, arguments.chains, arguments.scenes),
    }
    figures = [figure for part, work in parts.items() if part in arguments.parts for figure in work()]
    keep(arguments, report([part for part in PARTS if part in arguments.parts], figures))


def report(parts: Sequence[str], figures: Sequence[Figure]) -> Report:
    """Return the figures of the parts that were run."""
    return Report(
        name="-".join(("calvin", *(parts if len(parts) < len(PARTS) else ()))),
        group="CALVIN",
        title=f"CALVIN's table: {', '.join(parts)}",
        explanation="Our table: steps and frames a second, each ratio from one run; datasets made with "
        "`replays=commanded`, so that the last two forms of actions may fail, and given open loop in all four forms.",
        figures=tuple(figures),
    )


if __name__ == "__main__":
    main()
