"""Figures of the rooms: points, poses, walks and spawns against ALFRED's demonstrations, and speed.

    python -m benchmarks.rooms [--demos FILE] [--every K] [--left-out K] [--workers 2] [--save] [--json FILE]

Distances are timed beside networkx in the same run. Inferring standing points where nobody has walked is tried on
each room with the rest known (``rooms_left_out``), on every K-th demonstration of ``--left-out``.
"""

from __future__ import annotations

import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.command import benchmark_parser, from_rich, given_path, keep
from benchmarks.corpora.demonstrations import (
    demonstrations,
    layouts,
    policy_length,
    pose,
    room_name,
    visited_grids,
    walks,
)
from benchmarks.corpora.reference import DATA, reference
from benchmarks.results import Figure, Report
from benchmarks.results import Table as Values
from benchmarks.rooms_left_out import known_points, leave_one_out
from chorewright.domains.pddl.syntax import TRUE
from chorewright.problems.household.containment import matters
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.navigation import Grid, looks
from chorewright.problems.household.problem import household_problem
from chorewright.problems.household.rooms import load_room, read_room, room_names
from chorewright.problems.household.scene import STEPS, Pose
from chorewright.problems.household.sight import item_pose, stand_pose, touches
from chorewright.problems.household.spawn import spawn

PLANNED = "one room left out: demonstrations planned on inferred points"
REPLAYED = "one room left out: recorded demonstrations replayed on them"


def share(part: float, whole: float) -> str:
    return f"{part:,.0f} of {whole:,.0f} = {part / max(whole, 1):.1%}"


def standing_points(table: Table) -> None:
    """Compare the shipped grids with where one is known to stand."""
    known = kept = ours = 0
    for name in room_names():
        points, grid = known_points(name), set(load_room(name).grid)
        known, kept, ours = known + len(points), kept + len(points & grid), ours + len(grid)
    table.add_row("known points (layouts, walks) that the shipped rooms have", share(kept, known))
    table.add_row("shipped points that are known", share(kept, ours))


def left_out(table: Table, demos: Path, every: int, workers: int) -> None:
    """Infer each room's points without it; plan and replay its demonstrations on them."""
    found = leave_one_out(demos, every, workers)
    table.add_row("one room left out: known points inferred (recall)", share(found.both, found.known))
    table.add_row("one room left out: inferred points that are known (precision)", share(found.both, found.inferred))
    table.add_row(PLANNED, share(found.planned, found.demonstrations))
    table.add_row(REPLAYED, share(found.replayed, found.demonstrations))


def stand_poses(table: Table, every: int) -> None:
    """Compare stand poses with those of the demonstrations."""
    total = posed = 0
    theirs: Counter[str] = Counter()
    for name in room_names():
        scene = load_room(name)
        objects = {thing.object_id: thing for thing in scene.objects}
        grid = Grid.of(scene)
        poses = {}
        for thing in scene.objects:
            if matters(thing) and not thing.traits.item:
                poses[thing.object_id] = stand_pose(scene, grid, thing)
        total, posed = total + len(poses), posed + sum(found is not None for found in poses.values())
        for object_id, (x, z, rotation, horizon, _) in layouts()[name]["receptacle_poses"].items():
            found = poses.get(object_id)
            if found is None:
                continue
            thing, other = objects[object_id], Pose(x, z, rotation % 4, horizon)
            theirs["total"] += 1
            theirs["touched"] += touches(other, scene.agent_y, thing.centre, thing.size)
            theirs["half a metre"] += abs(found.x - x) + abs(found.z - z) <= 2
            theirs["turned alike"] += found.rotation == other.rotation
    table.add_row("fixtures with a stand pose", share(posed, total))
    for key, label in (
        ("touched", "receptacle poses of demonstrations that our rule of reach accepts"),
        ("half a metre", "our receptacle poses within 0.5 m (in steps) of theirs"),
        ("turned alike", "our receptacle poses turned as theirs"),
    ):
        table.add_row(label, share(theirs[key], theirs["total"]))
    same = pickups = 0
    for demonstration in demonstrations(reference, every):
        grid = visited_grids()[room_name(demonstration)]
        moved, location = set(), None
        for number, subgoal in enumerate(demonstration["high"]):
            if subgoal["a"] == "GotoLocation":
                location = subgoal["loc"]
            elif subgoal["a"] == "PickupObject" and demonstration["high"][number - 1]["a"] == "GotoLocation":
                around = subgoal.get("rc")
                open_air = not (around and shipped_kinds()[around[0]].closable)
                if "oc" in subgoal and location and open_air and subgoal["o"] not in moved:
                    pickups += 1
                    found = item_pose(grid, demonstration["init"][1], tuple(subgoal["oc"][1:]))
                    same += found == pose(location)
            if "o" in subgoal:
                moved.add(subgoal["o"])
    table.add_row("pickups in the open from exactly our pose", share(same, pickups))


def walked(table: Table, every: int) -> None:
    """Compare walks with those of the demonstrations, on the points that they visit."""
    counts: Counter[str] = Counter()
    for demonstration in demonstrations(reference, every):
        grid = visited_grids()[room_name(demonstration)]
        for start, goal, actions in walks(demonstration):
            route = grid.route(start, goal)
            if route is None:
                counts["unconnected"] += 1
                continue
            counts["total"] += 1
            counts["policy"] += policy_length(start, goal, len(route) - looks(start, goal)) == len(actions)
            counts["longer"] += len(route) > len(actions)
            counts["ours"] += len(route)
            counts["theirs"] += len(actions)
            counts["same"] += [a for a in route if a[:4] != "Look"] == [a for a in actions if a[:4] != "Look"]
    table.add_row("walks whose length is the policy's", share(counts["policy"], counts["total"]))
    table.add_row("walks of ours that are longer", share(counts["longer"], counts["total"]))
    table.add_row("our actions / theirs", f"{counts['ours'] / counts['theirs']:.3f}")
    table.add_row("the same moves and turns in the same order", share(counts["same"], counts["total"]))
    table.add_row("walks between points that are not connected", str(counts["unconnected"]))


def starts(table: Table) -> None:
    """Compare where things start with where the demonstrations pick them up first."""
    wanted: Counter[tuple[str, str]] = Counter()
    theirs: Counter[str] = Counter()
    for demonstration in demonstrations(reference):
        seen: set[str] = set()
        for subgoal in demonstration["high"]:
            name = subgoal.get("o")
            if subgoal["a"] == "PickupObject" and name and name not in seen:
                seen.add(name)
                wanted[room_name(demonstration), name.split("|")[0]] += 1
                theirs[subgoal["rc"][0] if subgoal.get("rc") else "none"] += 1
    found: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for name in sorted({name for name, _ in wanted}):
        for seed in range(4):
            scene = spawn(load_room(name), np.random.default_rng(seed))
            kinds = {thing.object_id: thing.kind for thing in scene.objects}
            for thing in scene.objects:
                if thing.traits.item:
                    found[name, thing.kind][kinds[thing.parents[0]]] += 1
    ours: defaultdict[str, float] = defaultdict(float)
    for place, weight in wanted.items():
        for kind, count in found[place].items():
            ours[kind] += weight * count / found[place].total()
    mine, other = sum(ours.values()), sum(theirs.values())
    for kind, count in theirs.most_common(12):
        table.add_row(f"start on {kind}: ours, theirs", f"{ours[kind] / mine:.1%}, {count / other:.1%}")
    variation = sum(abs(ours[kind] / mine - theirs[kind] / other) for kind in sorted({*ours, *theirs})) / 2
    table.add_row("total variation between the two", f"{variation:.2f}")


def timed(call: Callable[[str], object]) -> float:
    """Return the median milliseconds of a call over all rooms, each warmed up once."""
    durations = []
    for name in room_names():
        call(name)
        start = time.perf_counter()
        call(name)
        durations.append(time.perf_counter() - start)
    return 1000 * statistics.median(durations)


def speed(table: Table) -> None:
    """Time the steps from a room to its problem; distances beside networkx."""
    scattered = {name: spawn(load_room(name), np.random.default_rng(1)) for name in room_names()}
    poses = {name: list(household_problem(scattered[name], TRUE).poses.values()) for name in room_names()}
    graphs = {name: _graph(Grid.of(load_room(name))) for name in room_names()[::10]}

    def with_networkx(name: str) -> None:
        for start in {(found.x, found.z, found.rotation) for found in poses[name]}:
            nx.single_source_shortest_path_length(graphs[name], start)

    begin = time.perf_counter()
    for name in graphs:
        with_networkx(name)
    theirs = time.perf_counter() - begin
    begin = time.perf_counter()
    for name in graphs:
        Grid.of(load_room(name)).distances(poses[name])
    ours = time.perf_counter() - begin
    kinds = shipped_kinds()
    table.add_row("load_room, uncached", f"{timed(lambda name: read_room(name, kinds)):.2f} ms")
    table.add_row("spawn", f"{timed(lambda name: spawn(load_room(name), np.random.default_rng(1))):.2f} ms")
    table.add_row("household_problem", f"{timed(lambda name: household_problem(scattered[name], TRUE)):.2f} ms")
    table.add_row("distances between all poses", f"{timed(lambda n: Grid.of(load_room(n)).distances(poses[n])):.2f} ms")
    table.add_row("networkx's time / ours for the same distances", f"{theirs / ours:.0f}")


def _graph(grid: Grid) -> nx.DiGraph:
    graph = nx.DiGraph()
    for x, z in grid.points:
        for rotation, (dx, dz) in enumerate(STEPS):
            here = (x, z, rotation)
            graph.add_edges_from((here, (x, z, (rotation + turn) % 4)) for turn in (1, 3))
            if (x + dx, z + dz) in grid:
                graph.add_edge(here, (x + dx, z + dz, rotation))
    return graph


def report(values: Values, every: int, left_out: int) -> Report:
    """Return the figures: all rows of the table, those first that say most.

    Args:
        values: The table.
        every: Of which demonstrations, one of so many is taken.
        left_out: The same for rooms left out.
    """
    found = {row[0]: row[1] for row in values.rows}
    first = (
        ("left_out_planned", PLANNED),
        ("left_out_replayed", REPLAYED),
        ("walks_policy", "walks whose length is the policy's"),
        ("walks_longer", "walks of ours that are longer"),
        ("start_variation", "total variation between the two"),
        ("networkx", "networkx's time / ours for the same distances"),
    )
    labels = [label for _, label in first]
    return Report(
        name="rooms",
        group="Rooms and pictures",
        title="Rooms, navigation, spawn",
        explanation="The shipped rooms, poses, walks and spawns against ALFRED's 6,574 training demonstrations "
        f"(one of {every}, and for rooms left out one of {left_out}); speed of distances beside networkx.",
        figures=tuple(Figure(name, label, found[label]) for name, label in first),
        tables=(replace(values, rows=tuple(row for row in values.rows if row[0] not in labels)),),
    )


def main() -> None:
    """Print all figures."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--every", type=int, default=1, help="take every K-th demonstration")
    parser.add_argument("--demos", type=given_path, default=DATA / "alfred" / "demos-train.jsonl.gz")
    parser.add_argument("--left-out", type=int, default=1, help="every K-th demonstration for rooms left out")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    table = Table("figure", "value", title="Rooms")
    standing_points(table)
    left_out(table, arguments.demos, arguments.left_out, arguments.workers)
    stand_poses(table, arguments.every)
    walked(table, arguments.every)
    starts(table)
    speed(table)
    Console(width=120).print(table)
    keep(arguments, report(from_rich(table), arguments.every, arguments.left_out))


if __name__ == "__main__":
    main()
