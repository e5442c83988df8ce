"""The expert's numbers: waypoints and speeds per scene, and which skill does which task, from a data file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of one scene, by name; groups of numbers are mappings."""

    values: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    @property
    def tries(self) -> int:
        """How often a skill is started at most."""
        return int(self.values["tries"])

    @property
    def motion(self) -> dict[str, float]:
        """The numbers of ``Hand``."""
        return {name: value for name, value in self.values.items() if isinstance(value, int | float)}


def numbers_for(scene: str) -> Numbers:
    """Return the numbers for a scene's letter."""
    record = _record()
    return Numbers({**record["common"], **record["scenes"].get(scene, {})})


def skill_of(task: str) -> list[str] | None:
    """Return the name and the arguments of the skill that does a task, None for an unknown task."""
    skill: list[str] | None = _record()["tasks"].get(task)
    return skill


@lru_cache(maxsize=1)
def _record() -> dict[str, Any]:
    path = resources.files("chorewright.replay") / "data" / "tabletop_skills.json"
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return record
