"""ALFRED's own environment, retyped, on our service in the place of AI2-THOR 2.1.0.

    python -m benchmarks.alfred_env [--generated 20] [--starts 1000] [--recorded 60] [--demos FILE]
                                   [--save] [--json FILE]

Generated episodes are played by their masks and by ids; recorded demonstrations by ids, every Nth of the file, in the
rooms that ship. A play succeeds when all of ALFRED's goal conditions are met at its end. Starts are restored from
their poses alone: none may have an item in another receptacle than it was generated in, and none a condition met.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.command import benchmark_parser, from_rich, given_path, keep
from benchmarks.corpora.reference import DATA
from benchmarks.originals.thor_env import Json, ThorEnv
from benchmarks.results import Figure, Report, Target
from benchmarks.results import Table as Values
from chorewright.generator.alfred.export.exporter import trajectory
from chorewright.generator.alfred.export.plan import locate_targets
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.household.spawning import room_of
from chorewright.generator.production.benchmark import BENCHMARKS


@dataclass(frozen=True, slots=True)
class Play:
    """How a trajectory went: conditions met of so many, refused actions, and whether the last subgoal was reached."""

    name: str
    met: int
    of: int
    refused: int
    finished: bool

    @property
    def success(self) -> bool:
        return self.met == self.of


def play(name: str, traj: Json, *, masks: bool) -> Play:
    """Run a trajectory's low-level actions."""
    env = ThorEnv(traj, blind=not masks)
    refused = 0
    for low in traj["plan"]["low_actions"]:
        api, pointed = low["api_action"], low["discrete_action"]["args"]
        target = api.get("receptacleObjectId") or api.get("objectId") or ""
        if masks and "mask" in pointed:
            target = env.masked(pointed["mask"])
        refused += not env.step(low["discrete_action"]["action"], target)
    met, of = env.conditions()
    last = len(traj["plan"]["high_pddl"]) - 2
    return Play(name, met, of, refused, env.finished >= last)


def episodes(count: int, spread: int = 1) -> Iterator[Episode]:
    """Yield accepted episodes, every so manieth of the default configuration."""
    config, benchmark = GenerateConfig("alfred", count * spread), BENCHMARKS.find("alfred")
    for assignment in benchmark.assign(config, config.episodes)[::spread]:
        made = benchmark.episode(assignment.index, config, assignment)
        if made.outcome.accepted:
            yield made


def restored_otherwise(episode: Episode) -> tuple[int, bool]:
    """Return how many items lie elsewhere once the start is restored, and whether a condition is met there."""
    env = ThorEnv(trajectory(episode), blind=True)
    told: dict[str, str] = {}
    for each in env.metadata["objects"]:
        outer = each["parentReceptacles"] or [""]
        told[_ours(each["objectId"])] = _ours(outer[0])
    items = [thing for thing in room_of(episode).objects if thing.traits.item]
    wrong = sum(told.get(thing.object_id) != (thing.parents or ("",))[0] for thing in items)
    return wrong, env.conditions()[0] > 0


def _ours(name: str) -> str:
    return name.replace("Glassbottle|", "Bottle|", 1) if name.startswith("Glassbottle|") else name


def recorded(path: Path, count: int) -> Iterator[tuple[str, Json]]:
    """Yield recorded demonstrations, spread over a file, as trajectories without subgoals."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        total = sum(1 for _ in lines)
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in islice(lines, 0, None, max(1, total // count)):
            record = json.loads(line)
            yield str(record["path"]), trajectory_of(record)


def trajectory_of(record: Json) -> Json:
    """Return a line of the reference data in the form of ``traj_data.json``."""
    x, y, z, rotation, horizon = record["init"]
    start = {"x": x, "y": y, "z": z, "rotation": rotation, "horizon": horizon, "rotateOnTeleport": True}
    poses = [
        {"objectName": name, "position": dict(zip("xyz", pose[:3], strict=True)),
         "rotation": dict(zip("xyz", pose[3:], strict=True))}
        for name, *pose in record["object_poses"]
    ]  # fmt: skip
    lows = []
    for action, high, *ids in record["low"]:
        api = dict(zip(("objectId", "receptacleObjectId"), ids, strict=False))
        lows.append({"api_action": api, "discrete_action": {"action": action, "args": {}}, "high_idx": high})
    end = {"planner_action": {"action": "End", "value": 1}}
    return {
        "task_type": record["task_type"],
        "pddl_params": record["pddl_params"],
        "scene": {
            "floor_plan": f"FloorPlan{record['scene_num']}",
            "object_poses": poses,
            "object_toggles": record["object_toggles"],
            "dirty_and_empty": record["dirty_and_empty"],
            "init_action": {"action": "TeleportFull", **start},
        },
        "plan": {"high_pddl": [{"planner_action": {"action": "NoOp"}}, end], "low_actions": lows},
    }


def main() -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--generated", type=int, default=20, help="episodes that are played")
    parser.add_argument("--starts", type=int, default=1000, help="episodes whose starts are restored")
    parser.add_argument("--recorded", type=int, default=60, help="recorded demonstrations that are played")
    parser.add_argument("--demos", type=given_path, default=DATA / "alfred" / "demos-train.jsonl.gz")
    arguments = parser.parse_args()
    made = list(episodes(arguments.generated, 10)) if arguments.generated else []
    trajectories = [(str(each.index), trajectory(each, locate_targets(each))) for each in made]
    plays = {
        "generated, by masks": [play(name, traj, masks=True) for name, traj in trajectories],
        "generated, by ids": [play(name, traj, masks=False) for name, traj in trajectories],
        "recorded, by ids": [],
    }
    if arguments.recorded:
        plays["recorded, by ids"] = [
            play(name, traj, masks=False) for name, traj in recorded(arguments.demos, arguments.recorded)
        ][: arguments.recorded]
    starts = [restored_otherwise(each) for each in episodes(arguments.starts)] if arguments.starts else []
    table = Table("trajectories", "n", "all conditions met", "no action refused", "last subgoal reached")
    for name, group in plays.items():
        reached = str(sum(each.finished for each in group)) if name.startswith("generated") else "-"
        met, clean = (sum(each.success for each in group), sum(not each.refused for each in group))
        table.add_row(name, str(len(group)), str(met), str(clean), reached)
    console = Console()
    console.print(table)
    for each in plays["recorded, by ids"]:
        if not each.success:
            console.print(f"{each.name}: {each.met} of {each.of}, {each.refused} actions refused")
    console.print(f"{sum(wrong > 0 for wrong, _ in starts)} of {len(starts)} starts have an item elsewhere,")
    console.print(f"{sum(met for _, met in starts)} a condition met")
    keep(arguments, report(plays, starts, from_rich(table)))


def report(plays: Mapping[str, list[Play]], starts: list[tuple[int, bool]], table: Values) -> Report:
    """Return the figures of ALFRED's environment."""
    groups = {name.replace(", by ", "_"): group for name, group in plays.items() if group}
    figures = [
        Figure(name, f"{name.split('_')[0]} trajectories that reach all goal conditions by {name.split('_')[1]}",
               sum(each.success for each in group), of=len(group),
               target=Target("at least", 95 if name.startswith("recorded") else 100))
        for name, group in groups.items()
    ]  # fmt: skip
    if starts:
        figures += [
            Figure("starts", "starts whose items all lie where they were generated, restored from poses alone",
                   sum(not wrong for wrong, _ in starts), of=len(starts), digits=2, target=Target("at least", 100)),
            Figure("unmet", "starts that meet none of ALFRED's conditions", sum(not met for _, met in starts),
                   of=len(starts), digits=2, target=Target("at least", 100)),
        ]  # fmt: skip
    return Report(
        name="alfred_env",
        group="ALFRED",
        title="ALFRED's own environment on the stand-in",
        explanation="ALFRED's environment and goal check, retyped, around our service in the place of AI2-THOR 2.1.0.",
        figures=tuple(figures),
        tables=(table,),
    )


if __name__ == "__main__":
    main()
