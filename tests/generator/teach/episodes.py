"""Episodes like those of the benchmark teach, made of a demonstration, its dialogue and a clock of our own."""

from __future__ import annotations

import json
from functools import lru_cache

import numpy as np

from chorewright.generator.dataset.episode import Episode, Outcome, Step
from chorewright.generator.teach.compiling import compile_teach
from chorewright.generator.teach.demonstration import SessionAttempt, TeachDemonstration
from chorewright.generator.teach.dialogue import utterances

TASKS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("Coffee", (), "FloorPlan7"),
    ("Put All X On Y", ("Fork", "in", "Drawer"), "FloorPlan7"),
    ("Sandwich", ("1", "1"), "FloorPlan7"),
)


@lru_cache(maxsize=8)
def demonstration(name: str, params: tuple[str, ...], scene: str, seed: int = 3) -> TeachDemonstration:
    """Return what is done in the first start from a seed on in which all can be clicked."""
    starts = (compile_teach(name, params, scene, seed + 1000 * turn) for turn in range(9))
    tried = (SessionAttempt(compiled, seen=True).demonstrate() for compiled in starts)
    return next(found for found in tried if isinstance(found, TeachDemonstration))


@lru_cache(maxsize=8)
def episode(name: str, params: tuple[str, ...], scene: str, seed: int = 3) -> Episode:
    """Return the episode of a task: every action and utterance takes a second."""
    found = demonstration(name, params, scene, seed)
    time = 0.0
    entries: list[dict[str, object]] = []
    steps: list[Step] = []
    said = utterances(found, np.random.default_rng(seed))
    for number in range(len(found.actions) + 1):
        for each in said:
            if each.before == number:
                time += 1.0
                entry = {"before": number, "time": time, "duration": 1.0, "agent": each.agent}
                acts = {"acts": [[part.act, part.text] for part in each.sayings]} if each.sayings else {}
                entries.append({**entry, "action": each.action, "text": each.text, **each.details, **acts})
        if number < len(found.actions):
            time += 1.0
            action, sight = found.actions[number], found.sights[number]
            told = {
                "objectId": action.call.arguments.get("objectId"),
                "x": sight.x,
                "y": sight.y,
                "pose": [*sight.position, sight.horizon, sight.rotation, 0.0],
                "time": time,
                "duration": 1.0,
                **({"near": dict(sight.near)} if sight.near else {}),
            }
            steps.append(Step(action.name, action.segment, json.dumps(told)))
    compiled = found.compiled
    return Episode(
        benchmark="teach",
        index=seed,
        seed=seed,
        task=compiled.task.name,
        parameters=tuple((str(place), value) for place, value in enumerate(params)),
        split="valid_seen",
        scene=compiled.scene,
        domain_sha256="",
        problem_sha256="",
        goal="",
        plan=(),
        plan_cost=0.0,
        planner="",
        planner_configuration="",
        segments=(),
        steps=tuple(steps),
        instructions=(),
        outcome=Outcome(True),
        extras=(("dialogue", json.dumps(entries)),),
    )
