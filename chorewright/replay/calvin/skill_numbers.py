"""The expert's numbers from a data file: waypoints and speeds of each scene, and the skill of each task."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of one scene: some by their names, some in groups."""

    values: Mapping[str, object]

    def __getitem__(self, name: str) -> float:
        """Return a number that is in no group."""
        return self.single[name]

    @property
    def single(self) -> Mapping[str, float]:
        """The numbers that are in no group."""
        return _numbers(self.values)

    def group(self, name: str) -> Mapping[str, float]:
        """Return the numbers of a group."""
        return _numbers(self._group(name))

    def row(self, group: str, name: str) -> tuple[float, ...]:
        """Return several numbers under one name of a group."""
        row = self._group(group)[name]
        assert isinstance(row, list)
        return tuple(float(value) for value in row)

    def points(self, group: str) -> tuple[tuple[float, float], ...]:
        """Return the waypoints of a group: y from the joint's origin, and height."""
        points = self._group(group)["points"]
        assert isinstance(points, list)
        return tuple((float(across), float(height)) for across, height in points)

    def _group(self, name: str) -> Mapping[str, object]:
        group = self.values[name]
        assert isinstance(group, dict)
        return group


def numbers_for(scene: str) -> Numbers:
    """Return the numbers for a scene's letter."""
    record = _record()
    return Numbers({**record["common"], **record["scenes"].get(scene, {})})


def skill_of(task: str) -> list[str] | None:
    """Return the name and the arguments of the skill that does a task, None for an unknown task."""
    skill: list[str] | None = _record()["tasks"].get(task)
    return skill


def _numbers(values: Mapping[str, object]) -> dict[str, float]:
    return {name: value for name, value in values.items() if isinstance(value, int | float)}


@lru_cache(maxsize=1)
def _record() -> dict[str, Any]:
    path = resources.files("chorewright.replay") / "data" / "tabletop_skills.json"
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return record
