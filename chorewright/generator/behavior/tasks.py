"""BEHAVIOR's activities as tasks that verbs list, show and compile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from rich.console import RenderableType
from rich.table import Column, Table

from chorewright.domains.behavior.lowering import synset_word
from chorewright.domains.behavior.reader import write_condition
from chorewright.domains.behavior.syntax import Activity
from chorewright.errors import UsageError
from chorewright.generator.behavior.attempt import names_of, title_of
from chorewright.generator.behavior.world import find_activity
from chorewright.generator.production.benchmark import CompiledTask, TaskRequest
from chorewright.planner.plan import Limits, Unsolvable
from chorewright.planner.planning import solve
from chorewright.problems.behavior.kinds import VERSIONS, activity_names, shipped_activity
from chorewright.problems.behavior.scenes import activity_scene
from chorewright.rsa.behavior.conditions import say_goal

COLLECTION = "behavior/"
COLUMNS = 4


class BehaviorTasks:
    """The activities of BEHAVIOR-100 and BEHAVIOR-1K: ``behavior/100/NAME`` and ``behavior/1k/NAME``."""

    def rows(self, definitions: Path | None) -> Sequence[Mapping[str, object]]:
        """Return all activities as JSON values."""
        return tuple(_row(f"{version}/{name}", activity) for version, name, activity in _all())

    def table(self, definitions: Path | None) -> RenderableType:
        """Return how many activities there are of which room; they are too many to list."""
        table = Table("version", "activities", Column("rooms", overflow="fold"), title="BEHAVIOR (domain behavior)")
        for version in VERSIONS:
            names = activity_names(version)
            rooms = Counter(room for name in names for room in _rooms(shipped_activity(name, version)))
            text = ", ".join(f"{room.replace('_', ' ')} {count}" for room, count in rooms.most_common(6))
            table.add_row(f"{COLLECTION}{version}/...", f"{len(names):,}", f"{text}, ...")
        return table

    def row(self, name: str, definitions: Path | None) -> Mapping[str, object]:
        """Return one activity as JSON values."""
        return _row(name, find_activity(name))

    def lines(self, name: str, definitions: Path | None) -> Sequence[str]:
        """Return one activity as a heading and lines to read."""
        activity = find_activity(name)
        kinds = Counter(each.types[0] for each in activity.objects)
        things = ", ".join(synset_word(kind) + (f" x {count}" if count > 1 else "") for kind, count in kinds.items())
        return (
            f"{COLLECTION}{name} (domain behavior, {', '.join(_rooms(activity)) or 'no room'})",
            f'"{_sentence(activity, name)}"',
            f"things: {things}",
            *write_condition(activity.goal).splitlines(),
        )

    def compile(self, request: TaskRequest) -> CompiledTask:
        """Compile an activity; it has no parameters, and its scene is its own, with supplies if it needs them.

        Raises:
            UsageError: There is no such activity, or it is given a parameter or a scene.
            InputErrors: Its file has errors.
        """
        if request.params or request.scene is not None:
            raise UsageError(f"the activity {request.name} has no parameters, and its scene is its own")
        scene = activity_scene(find_activity(request.name), request.seed)
        if isinstance(solve(scene.domain(), scene.problem(scene.domain()), Limits(evaluations=1)), Unsolvable):
            scene = scene.with_supplies()
        domain = scene.domain()
        said = {
            "task": f"{COLLECTION}{request.name}",
            "scene": scene.activity.name,
            "seed": request.seed,
            "sentences": [_sentence(scene.activity, request.name)],
        }
        return CompiledTask(domain, scene.problem(domain), said)


def _all() -> Iterator[tuple[str, str, Activity]]:
    for version in VERSIONS:
        for name in activity_names(version):
            yield version, name, shipped_activity(name, version)


def _row(name: str, activity: Activity) -> Mapping[str, object]:
    return {
        "name": f"{COLLECTION}{name}",
        "domain": "behavior",
        "number": None,
        "tags": list(_rooms(activity)),
        "slots": {},
        "fillings": 1,
        "conditions": [write_condition(activity.goal)],
        "params": {},
        "sayings": [_sentence(activity, name)],
    }


def _rooms(activity: Activity) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.atom.terms[1] for each in activity.init if each.atom.predicate == "inroom"))


def _sentence(activity: Activity, name: str) -> str:
    rng = np.random.Generator(np.random.PCG64(0))
    return say_goal(activity.goal, names_of(activity), title_of(activity, name), rng)
