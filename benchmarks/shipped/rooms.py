"""Builds the shipped rooms file from public data: the 120 iTHOR rooms and where one can walk.

Run as ``python -m benchmarks.shipped.rooms PROCTHOR_WHEEL ALFWORLD_WHEEL WALKED [TARGET]`` with
the wheels ``procthor==0.0.1.dev2`` (object metadata, Apache-2.0) and ``alfworld==0.4.2`` (standing points, MIT), as
``pip download --no-deps`` fetches them, and ``layouts.json.gz`` of the reference data: the points that ALFRED's
demonstrations walk over (MIT). The same files give the same bytes. See ``docs/rooms.md``.
"""

from __future__ import annotations

import gzip
import io
import itertools
import json
import math
import statistics
import sys
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from benchmarks.command import ROOT
from chorewright.files.json_node import root
from chorewright.files.json_source import bare
from chorewright.problems.household import free_space
from chorewright.problems.household.containment import direct_parents, with_taps
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.metadata import objects_from_metadata
from chorewright.problems.household.scene import GRID, Point, SceneObject, Vector

# Learns from rooms whose standing points are known how kinds of things shape the room to stand.
#
# A logistic regression over the piecewise constant profiles of ``standing``: the weights are those of greatest
# likelihood, drawn towards nought, so that a kind that is seen rarely says little. The optimum is unique.


Numbers: TypeAlias = npt.NDArray[np.float64]

RIDGE = 2.0
"""How strongly weights are drawn towards nought."""
FEWEST = 10
"""Points that a stretch of a profile must tell of to be learned."""
ROUNDS = 40
CONVERGED = 1e-3
"""The greatest slope that counts as none."""
CHUNK = 4096
"""Points whose one-hot rows are in memory at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A room to learn from: its features, and where one is known to stand (a flag for each point, in one row)."""

    raster: free_space.Raster
    features: free_space.Features
    known: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, objects: Sequence[SceneObject], level: float, known: set[Point]) -> Example:
        """Return a room as an example."""
        raster, found = free_space.features(objects, level)
        return cls(raster, found, raster.mask(known).ravel())


class Regression:
    """The regression over some rooms, and over all but one of them."""

    def __init__(self, examples: Sequence[Example]) -> None:
        self._names = _stretches(examples)
        self._lengths = {name: len(edges) for one in examples for name, (_, edges) in one.features.items()}
        place = {stretch: number for number, stretch in enumerate(self._names)}
        rows = [_columns(example, place) for example in examples]
        width = max(row.shape[1] for row in rows)
        pad = len(self._names)
        self._columns = np.concatenate(
            [np.pad(row, ((0, 0), (0, width - row.shape[1])), constant_values=pad) for row in rows]
        )
        self._known = np.concatenate([example.known for example in examples]).astype(np.float64)
        ends = np.cumsum([0, *(len(row) for row in rows)])
        self._rooms = [slice(int(a), int(b)) for a, b in itertools.pairwise(ends)]
        self._all = np.ones(len(self._known), np.bool_)
        self._weights = np.zeros(pad + 2)  # the last but one is the padding's, the last the bias
        self._curvature = np.zeros((0, 0))

    def fit(self) -> free_space.Profiles:
        """Return the profiles of all rooms."""
        self._weights = self._newton(self._weights, self._all)
        self._curvature = self._hessian(self._weights, self._all)
        return self._profiles(self._weights)

    def without(self, number: int) -> free_space.Profiles:
        """Return the profiles of all rooms but one; ``fit`` comes first.

        From the weights of all, steps by the curvature there lead to the optimum of the others.
        """
        some = self._all.copy()
        some[self._rooms[number]] = False
        weights = self._weights
        curvature = self._curvature - self._hessian(weights, ~some, ridge=0.0)
        for _ in range(ROUNDS):
            slope = self._slope(weights, some)
            if float(np.abs(slope).max()) < CONVERGED:
                break
            weights = weights - _step(curvature, slope)
        else:
            weights = self._newton(self._weights, some)
        return self._profiles(weights)

    def _newton(self, weights: Numbers, some: npt.NDArray[np.bool_]) -> Numbers:
        for _ in range(ROUNDS):
            slope = self._slope(weights, some)
            if float(np.abs(slope).max()) < CONVERGED:
                break
            weights = weights - _step(self._hessian(weights, some), slope)
        return weights

    def _chances(self, weights: Numbers, rows: slice | npt.NDArray[np.intp]) -> Numbers:
        odds: Numbers = weights[:-1][self._columns[rows]].sum(axis=1) + weights[-1]
        return 1.0 / (1.0 + np.exp(-odds))

    def _slope(self, weights: Numbers, some: npt.NDArray[np.bool_]) -> Numbers:
        residual = np.where(some, self._chances(weights, slice(None)) - self._known, 0.0)
        spread = np.repeat(residual, self._columns.shape[1])
        slope: Numbers = np.bincount(self._columns.ravel(), spread, minlength=len(weights)).astype(np.float64)
        slope[-2] = 0.0
        slope[:-2] += RIDGE * weights[:-2]
        slope[-1] = residual.sum()
        return slope

    def _hessian(self, weights: Numbers, some: npt.NDArray[np.bool_], ridge: float = RIDGE) -> Numbers:
        curvature = np.zeros((len(weights), len(weights)))
        rows = np.flatnonzero(some)
        for start in range(0, len(rows), CHUNK):
            chunk = rows[start : start + CHUNK]
            chances = self._chances(weights, chunk)
            dense = np.zeros((len(chunk), len(weights)))
            np.put_along_axis(dense, self._columns[chunk], 1.0, axis=1)
            dense[:, -2], dense[:, -1] = 0.0, 1.0
            curvature += (dense * (chances * (1.0 - chances))[:, None]).T @ dense
        curvature[np.arange(len(weights) - 2), np.arange(len(weights) - 2)] += ridge
        if ridge:
            curvature[-2, -2] = 1.0
        return curvature

    def _profiles(self, weights: Numbers) -> free_space.Profiles:
        found = {name: [0.0] * self._lengths[name] for name, _ in self._names}
        for (name, part), weight in zip(self._names, weights[:-2].tolist(), strict=True):
            found[name][part] = round(weight, 2) + 0.0
        return free_space.Profiles(round(float(weights[-1]), 2), {name: tuple(found[name]) for name in sorted(found)})


def _stretches(examples: Sequence[Example]) -> list[tuple[str, int]]:
    """Return the stretches of profiles that enough points tell of: names and parts."""
    counts: Counter[tuple[str, int]] = Counter()
    for example in examples:
        for name, (metres, edges) in example.features.items():
            for part, count in enumerate(np.bincount(np.searchsorted(edges, metres).ravel())[: len(edges)].tolist()):
                counts[name, part] += count
    return sorted(stretch for stretch, count in counts.items() if count >= FEWEST)


def _columns(example: Example, place: dict[tuple[str, int], int]) -> npt.NDArray[np.int64]:
    """Return for each point of a room the numbers of the stretches that it is in, one column a feature."""
    columns = []
    for name, (metres, edges) in sorted(example.features.items()):
        numbers = np.array([place.get((name, part), len(place)) for part in range(len(edges) + 1)], np.int64)
        columns.append(numbers[np.searchsorted(edges, metres).ravel()])
    return np.stack(columns, axis=1)


def _step(curvature: Numbers, slope: Numbers) -> Numbers:
    return np.linalg.solve(curvature, slope).astype(np.float64)


Record: TypeAlias = dict[str, object]
Layout: TypeAlias = npt.NDArray[np.float64]

METADATA = "procthor/databases/ai2thor-object-metadata.json"
ASSETS = "procthor/databases/asset-database.json"
LAYOUT = "alfworld/gen/layouts/{}-layout.npy"
SURE = 0.8
"""The probability from which a point counts in a room where others have walked, though none of them there."""
ROOM_KINDS = (
    ("kitchens", "kitchen", 0),
    ("living_rooms", "living_room", 200),
    ("bedrooms", "bedroom", 300),
    ("bathrooms", "bathroom", 400),
)


def room_names() -> Iterator[tuple[str, str, str, int]]:
    """Yield each room's name, our word for its kind, and its key and index in the metadata."""
    for key, kind, base in ROOM_KINDS:
        for index in range(30):
            yield f"FloorPlan{base + index + 1}", kind, key, index


def find_points(layout: Layout, walked: Iterable[Sequence[int]]) -> set[Point]:
    """Return the points of the layout, in metres, and those that demonstrations walk over: [x, z, how often]."""
    tested = {(round(float(x) / GRID), round(float(z) / GRID)) for x, z in layout}
    return tested | {(x, z) for x, z, _ in walked}


def standing_points(
    known: set[Point], objects: Sequence[SceneObject], level: float, profiles: free_space.Profiles
) -> list[Point]:
    """Return the points where agents stood, with those where one surely can."""
    raster, chances = profiles.chances(objects, level)
    return sorted(free_space.largest_component(known | raster.points(chances >= SURE)))


def room_record(name: str, kind: str, points: Sequence[Point], objects: Sequence[SceneObject]) -> Record:
    """Return one room as plain JSON data, lengths in millimetres precision."""
    level = free_space.floor_level(objects)
    return {
        "name": name,
        "room_kind": kind,
        "agent_y": round(level + free_space.PIVOT, 3),
        "points": [list(point) for point in points],
        "objects": [object_record(thing) for thing in objects],
    }


def object_record(thing: SceneObject) -> Record:
    """Return an object as plain JSON data, without default values."""
    record: Record = {
        "id": thing.object_id,
        "kind": thing.kind,
        "position": _round_off(thing.position, 3),
        "centre": _round_off(thing.centre, 3),
        "size": _round_off(thing.size, 3),
    }
    rotation = _round_off(thing.rotation, 1)
    if any(rotation):
        record["rotation"] = rotation
    for key, value in (("asset", thing.asset), ("receptacle", thing.receptacle)):
        if value:
            record[key] = value
    for key, ids in (("parents", thing.parents), ("controls", thing.controls)):
        if ids:
            record[key] = list(ids)
    state = thing.attributes
    for key, flag in (("open", state.is_open), ("toggled", state.is_toggled), ("dirty", state.is_dirty)):
        if flag:
            record[key] = True
    if state.liquid:
        record["liquid"] = state.liquid
    return record


def _round_off(vector: Vector, digits: int) -> list[float]:
    values = [round(math.fmod(value, 360.0) if digits == 1 else value, digits) + 0.0 for value in vector]
    return [int(value) if value == int(value) else value for value in values]


def shapes(assets: Mapping[str, Sequence[Mapping[str, object]]], rooms: Iterable[Sequence[SceneObject]]) -> Record:
    """Return the kinds' shapes, for kinds of which a room has no example.

    ``size`` is the middle box size of the kind's assets. Of receptacles, ``support`` is the height at which
    things lie in the rooms, as a fraction of the box; ``hang`` how far the middle of things hangs below that
    of the box.
    """
    table: dict[str, Record] = {}
    for kind in sorted(assets):
        boxes = [box for asset in assets[kind] if isinstance(box := asset["boundingBox"], dict)]
        table[kind] = {"size": [round(statistics.median(box[axis] for box in boxes), 3) for axis in "xyz"]}
    for kind, places in sorted(_lying(rooms).items()):
        entry = table.setdefault(kind, {})
        support = statistics.median(place[0] for place in places)
        below_top = statistics.median(place[1] for place in places)
        if support < -0.3:
            entry["hang"] = round(-statistics.median(place[2] for place in places), 3)
        elif abs(below_top) < 0.03:
            if not shipped_kinds()[kind].inside:  # else things lie on the lid
                entry["support"] = 1.0
        else:
            entry["support"] = round(max(support, 0.0), 3)
    return dict(table)


def _lying(rooms: Iterable[Sequence[SceneObject]]) -> dict[str, list[tuple[float, float, float]]]:
    """Return for each receptacle kind how high things lie: relative to the box, its top and its middle."""
    found: dict[str, list[tuple[float, float, float]]] = {}
    for objects in rooms:
        named = {thing.object_id: thing for thing in objects}
        for thing in objects:
            if not thing.traits.item or not thing.parents or named[thing.parents[0]].kind == "Floor":
                continue
            under = named[thing.parents[0]]
            bottom = thing.centre[1] - thing.size[1] / 2 - (under.centre[1] - under.size[1] / 2)
            height = max(under.size[1], 0.01)
            found.setdefault(under.kind, []).append(
                (bottom / height, bottom - height, thing.centre[1] - under.centre[1])
            )
    return found


def profiles_record(profiles: free_space.Profiles) -> Record:
    """Return what was learned about standing as plain JSON data."""
    return {"bias": profiles.bias, "weights": {name: list(weights) for name, weights in profiles.weights.items()}}


def build(procthor_wheel: Path, alfworld_wheel: Path, walked_points: Path, target: Path) -> None:
    """Write the rooms file: a zip archive with one JSON member per room, ``kinds.json`` and ``standing.json``."""
    with zipfile.ZipFile(procthor_wheel) as wheel:
        metadata = json.loads(wheel.read(METADATA))
        assets = json.loads(wheel.read(ASSETS))
    with gzip.open(walked_points, "rt", encoding="utf-8") as text:
        walked = json.load(text)
    rooms: list[Sequence[SceneObject]] = []
    known: list[set[Point]] = []
    with zipfile.ZipFile(alfworld_wheel) as wheel:
        for name, _, key, index in room_names():
            layout = np.load(io.BytesIO(wheel.read(LAYOUT.format(name))), allow_pickle=False)
            known.append(find_points(layout, walked[name]["visited"]))
            listed = objects_from_metadata(root(bare(metadata[key][index], name)), shipped_kinds())
            rooms.append(with_taps(direct_parents(listed)))
    learned = Regression(
        [
            Example.of(objects, free_space.floor_level(objects), points)
            for objects, points in zip(rooms, known, strict=True)
        ]
    ).fit()
    members: dict[str, Record] = {}
    for (name, kind, _, _), objects, points in zip(room_names(), rooms, known, strict=True):
        standing = standing_points(points, objects, free_space.floor_level(objects), learned)
        members[f"{name}.json"] = room_record(name, kind, standing, objects)
    members["kinds.json"] = shapes(assets, rooms)
    members["standing.json"] = profiles_record(learned)
    write_archive(members, target)


def write_archive(members: Mapping[str, Record], target: Path) -> None:
    """Write a zip archive with a JSON file for each member, without dates."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, record in members.items():
            member = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = 0o644 << 16
            text = json.dumps(record, separators=(",", ":"), ensure_ascii=True)
            archive.writestr(member, text, compresslevel=9)


def main(arguments: Sequence[str]) -> int:
    """Run the command; return its exit code."""
    if len(arguments) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    paths = [Path(argument) for argument in arguments]
    target = paths[3] if len(paths) == 4 else ROOT / "chorewright" / "problems" / "data" / "rooms.zip"
    build(paths[0], paths[1], paths[2], target)
    print(f"{target}: {target.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
