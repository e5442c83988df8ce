"""The recorded low-level actions of ALFRED's demonstrations, run in the THOR world.

    python -m benchmarks.alfred_replay [--limit N] [--workers 2] [--demos FILE] [--failures FILE] [--render]
                                       [--save] [--json FILE]

Each demonstration starts from its recorded object poses (``alfred_demos``), in the room that ships. ``--demos`` is
any file in the form of ``demos-train.jsonl.gz``. The actions are sent as ALFRED's interface sends them (moves and
puts with forceAction). A demonstration succeeds when all goal conditions of our template for its task hold at the
end (the tests compare them with ALFRED's own). Peers report 82 to 86 % for their replays.

With ``--render``, before each interaction its target's mask is drawn, as seen from where the expert stood:
visible are 14 pixels of 300 x 300 or more (the smallest mask that ALFRED recorded), and AI2-THOR's one.
"""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.alfred_corpus import goal_of
from benchmarks.alfred_demos import Demonstration, demonstration_scene, demonstrations, match_item, recorded_kind
from benchmarks.command import benchmark_parser, from_rich, given_path, keep
from benchmarks.corpora.reference import DATA
from benchmarks.results import Figure, Peer, Report, Target
from chorewright.domains.formulas import Universe, holds
from chorewright.domains.library import household_domain
from chorewright.generator.household.outlook import SIZE, SMALLEST
from chorewright.problems.household.problem import household_problem
from chorewright.problems.household.scene import Point, Scene
from chorewright.problems.household.state import state_of
from chorewright.replay.household import ALFRED_SETTINGS, ThorWorld
from chorewright.replay.household.pixels.camera import agent_camera
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.simulator import Argument, SimulatorAction

MOTIONS: dict[str, SimulatorAction] = {
    "MoveAhead_25": SimulatorAction("MoveAhead", {"moveMagnitude": 0.25, "forceAction": True}),
    "RotateLeft_90": SimulatorAction("RotateLeft", {"forceAction": True}),
    "RotateRight_90": SimulatorAction("RotateRight", {"forceAction": True}),
    "LookUp_15": SimulatorAction("LookUp", {"forceAction": True}),
    "LookDown_15": SimulatorAction("LookDown", {"forceAction": True}),
}


@dataclass(frozen=True, slots=True)
class Replay:
    """How one demonstration went: each condition, and the actions that failed with their reasons.

    ``sights`` are the interactions, each "action kind", with the target's pixels.
    """

    name: str
    task: str
    sliced: bool
    conditions: tuple[tuple[str, bool], ...]
    failures: tuple[str, ...]
    actions: int
    seconds: float
    sights: tuple[tuple[str, int], ...] = ()

    @property
    def success(self) -> bool:
        return all(holds for _, holds in self.conditions)


class Names:
    """Recorded object ids to the scene's, found when first used; pieces in the order of their use."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.known: dict[str, str] = {}
        self.fixtures = {body.object_id for body in scene.objects if not body.traits.item}

    def __call__(self, recorded: str, world: ThorWorld) -> str:
        if recorded in self.fixtures:
            return recorded
        if recorded not in self.known:
            self.known[recorded] = self._find(recorded, world)
        return self.known[recorded]

    def _find(self, recorded: str, world: ThorWorld) -> str:
        parts = recorded.split("|")
        base = match_item(self.scene, "|".join(parts[:4])) or recorded
        if len(parts) < 5:
            return base
        wanted = f"{base}|{parts[4]}"
        pieces = [name for name in world.room.objects if name.startswith(f"{base}|{parts[4].split('_')[0]}_")]
        unused = [name for name in pieces if name not in self.known.values()]
        return wanted if wanted in unused else min(unused, default=wanted)


def replay(demonstration: Demonstration, render: bool = False, points: Sequence[Point] | None = None) -> Replay:
    """Run a demonstration's recorded actions and check its goal.

    Args:
        demonstration: What was recorded.
        render: Whether to look for what is acted on.
        points: Where one can stand, if not where the shipped room says.
    """
    started = time.perf_counter()
    scene = demonstration_scene(demonstration, points)
    world, names, failures = ThorWorld(ALFRED_SETTINGS), Names(scene), []
    world.reset(scene)
    renderer, sights = Renderer(), []
    for step in demonstration.steps:
        action = simulator_action(step, names, world)
        target = str(action.arguments.get("receptacleObjectId") or action.arguments.get("objectId") or "")
        if render and target:
            mask = renderer.masks.mask(world.scene(), agent_camera(world.room, SIZE), target)
            sights.append((f"{action.action} {recorded_kind(target)}", int(mask.sum())))
        event = world.step(action)
        if not event.success:
            failures.append(f"{step[0]}: {event.error_message}")
    return Replay(
        demonstration.name,
        demonstration.task,
        demonstration.sliced,
        conditions(demonstration, world.scene()),
        tuple(failures),
        len(demonstration.steps),
        time.perf_counter() - started,
        tuple(sights),
    )


def simulator_action(step: list[object], names: Names, world: ThorWorld) -> SimulatorAction:
    """Return a recorded action as ALFRED's interface calls the simulator."""
    name, _, *objects = step
    motion = MOTIONS.get(str(name))
    if motion is not None:
        return motion
    ids = [names(str(recorded), world) for recorded in objects]
    arguments: dict[str, Argument] = {"objectId": ids[0]}
    if len(ids) > 1:
        arguments |= {"receptacleObjectId": ids[1], "forceAction": True, "placeStationary": True}
    return SimulatorAction(str(name), arguments)


def conditions(demonstration: Demonstration, scene: Scene) -> tuple[tuple[str, bool], ...]:
    """Return the goal conditions of our template for the task, and whether they hold in a scene."""
    goal = goal_of(demonstration)
    household = household_problem(scene, goal.formula)
    universe = Universe.of(household_domain(), household.problem)
    state = state_of(scene, household.ids)
    return tuple((name, holds(formula, state, universe)) for name, formula in goal.conditions)


def run(chosen: Iterable[Demonstration], workers: int, render: bool = False) -> Iterator[Replay]:
    """Replay demonstrations, in their order."""
    one = partial(replay, render=render)
    if workers < 2:
        yield from map(one, chosen)
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(one, chosen, chunksize=32)


def category(result: Replay) -> str:
    """Return why a demonstration failed, free of names and numbers."""
    unmet = ", ".join(name for name, holds in result.conditions if not holds)
    if not result.failures:
        return f"no action failed; unmet: {unmet}"
    action, _, message = result.failures[0].partition(": ")
    words = [_generic(word) for word in message.split()]
    return f"{action}: {' '.join(words)}"


def _generic(word: str) -> str:
    if "|" in word:
        return recorded_kind(word.strip(".,:;"))
    return "#" if word.replace(".", "").replace("-", "").isdigit() else word


def show(results: list[Replay], seconds: float) -> Table:
    """Print the share of successes per task and the categories of the rest; return the former."""
    console = Console()
    table = Table("task", "n", "all conditions met", "%", "of those without a failed action", "%")
    groups: defaultdict[str, list[Replay]] = defaultdict(list)
    for result in results:
        groups[result.task].append(result)
    for name, group in [*sorted(groups.items()), ("all", results)]:
        met = [result for result in group if result.success]
        clean = [result for result in met if not result.failures]
        shares = [f"{100 * len(some) / len(group):.2f}" for some in (met, clean)]
        table.add_row(name, str(len(group)), str(len(met)), shares[0], str(len(clean)), shares[1])
    console.print(table)
    rest = Table("why not", "n", "for example")
    reasons: defaultdict[str, list[Replay]] = defaultdict(list)
    for result in results:
        if not result.success:
            reasons[category(result)].append(result)
    for reason, failed in sorted(reasons.items(), key=lambda entry: (-len(entry[1]), entry[0]))[:40]:
        rest.add_row(reason, str(len(failed)), failed[0].name.split("/", 1)[-1])
    console.print(rest)
    actions = sum(result.actions for result in results)
    inside = sum(result.seconds for result in results)
    console.print(
        f"{len(results)} demonstrations, {actions} actions in {seconds:.1f} s"
        f" ({1000 * inside / len(results):.1f} ms each, reading the scene included)"
    )
    return table


def report(results: list[Replay], seconds: float, table: Table) -> Report:
    """Return the figures of recorded actions."""
    met = sum(result.success for result in results)
    clean = sum(result.success and not result.failures for result in results)
    return Report(
        name="alfred_replay",
        group="ALFRED",
        title="The recorded ALFRED actions, replayed",
        explanation="Recorded actions, run in the rooms that ship: in-sample, as their standing points are those of "
        "the layouts, of the walks of all folds (91 of validation walks only) and inferred ones. Rooms left out as a "
        "whole are another figure.",
        figures=(
            Figure("met", "demonstrations that end with all goal conditions met", met, of=len(results), digits=2,
                   target=Target("at least", 95),
                   peers=(Peer("peers' own replays", "82 to 86 %", "their own reports"),)),
            Figure("clean", "demonstrations that do so without a refused action", clean, of=len(results), digits=2),
            Figure("actions", "actions run", sum(result.actions for result in results)),
            Figure("seconds", "by the clock", seconds, "s", digits=1),
        ),
        tables=(from_rich(table),),
    )  # fmt: skip


def show_sights(results: list[Replay]) -> Table:
    """Print how many targets were visible; return those actions and kinds that were hidden most often."""
    sights = [sight for result in results for sight in result.sights]
    seen = sum(pixels >= SMALLEST for _, pixels in sights)
    some = sum(pixels > 0 for _, pixels in sights)
    table = Table("hidden", "n", "of", title=f"{len(sights)} interactions")
    hidden = Counter(name for name, pixels in sights if pixels < SMALLEST)
    asked = Counter(name for name, _ in sights)
    for name, count in sorted(hidden.items(), key=lambda entry: (-entry[1], entry[0]))[:20]:
        table.add_row(name, str(count), str(asked[name]))
    console = Console()
    console.print(table)
    console.print(
        f"target visible ({SMALLEST} pixels): {100 * seen / max(1, len(sights)):.2f} %; "
        f"some pixel: {100 * some / max(1, len(sights)):.2f} %"
    )
    return table


def report_sights(results: list[Replay], table: Table) -> Report:
    """Return the figures of what the expert sees."""
    pixels = [count for result in results for _, count in result.sights]
    seen, some = (sum(count >= least for count in pixels) for least in (SMALLEST, 1))
    return Report(
        name="alfred_replay_sight",
        group="Rooms and pictures",
        title="What the expert of ALFRED's recordings sees",
        explanation=f"Before each interaction of {len(results)} recorded demonstrations, from the pose where the "
        "expert stood: whether our picture shows the target.",
        figures=(
            Figure("visible", f"targets that show {SMALLEST} pixels or more", seen, of=len(pixels),
                   target=Target("at least", 95)),
            Figure("some_pixel", "targets that show some pixel", some, of=len(pixels)),
        ),
        tables=(from_rich(table),) if table.row_count else (),
    )  # fmt: skip


def main() -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--limit", type=int, help="only the first N of the file")
    parser.add_argument("--every", type=int, default=1, help="only every Nth")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--demos", type=given_path, default=DATA / "alfred" / "demos-train.jsonl.gz")
    parser.add_argument("--failures", type=Path, help="write the failed ones here, one JSON object a line")
    parser.add_argument("--render", action="store_true", help="look for what is acted on")
    arguments = parser.parse_args()
    started = time.perf_counter()
    chosen = islice(demonstrations(arguments.demos), 0, arguments.limit, arguments.every)
    results = list(run(chosen, arguments.workers, arguments.render))
    seconds = time.perf_counter() - started
    table = show(results, seconds)
    kept = report_sights(results, show_sights(results)) if arguments.render else report(results, seconds, table)
    if arguments.failures is not None:
        with arguments.failures.open("w", encoding="utf-8") as out:
            for result in results:
                if not result.success or result.failures:
                    unmet = [name for name, holds in result.conditions if not holds]
                    record = {"name": result.name, "unmet": unmet, "failures": result.failures}
                    out.write(json.dumps(record) + "\n")
    keep(arguments, kept)


if __name__ == "__main__":
    main()
