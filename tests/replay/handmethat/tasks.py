"""Tasks for the tests of the text world: made by hand of sampled scenes, and a few that were generated.

``python -m tests.replay.handmethat.tasks`` writes the file of generated ones anew.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from chorewright.domains.pddl.syntax import TRUE, Formula
from chorewright.problems.handmethat.scene import HandMeThatScene, sample_scene
from chorewright.replay.handmethat.task import HandMeThatTask, dumps, loads
from chorewright.rsa.handmethat.meanings import Meaning, Quest, meaning_of
from tests.command import ROOT

STORED = ROOT / "tests" / "corpus" / "handmethat_tasks.jsonl"

CLOSED = meaning_of("bring_me", {"class": "thing"}, None)


def made(
    scene: HandMeThatScene, meaning: Meaning = CLOSED, utterance: Meaning | None = None, goal: Formula = TRUE
) -> HandMeThatTask:
    """A task in a scene whose human has done nothing yet."""
    said = utterance or Meaning(meaning.quest, (), meaning.argument)
    return HandMeThatTask("made", scene, scene, (), 0, goal, meaning, said, "Please help.", 2)


@cache
def scene(seed: int = 0) -> HandMeThatScene:
    """A whole scene."""
    return sample_scene(np.random.default_rng(seed))


@cache
def stored() -> tuple[HandMeThatTask, ...]:
    """Generated tasks: all types of requests, all levels but the fourth."""
    return tuple(map(loads, STORED.read_text("utf-8").splitlines()))


def main() -> None:
    """Write the file of generated tasks."""
    from chorewright.generator.handmethat.benchmark import sample_task

    found: dict[tuple[Quest, int], HandMeThatTask] = {}
    for seed in range(12):
        for version in (1, 2):
            task = sample_task(np.random.default_rng(seed), version)
            found.setdefault((task.meaning.quest, task.level), task)
        if len(found) >= 6:
            break
    order = sorted(found, key=lambda each: (each[0].value, each[1]))
    STORED.write_text("".join(f"{dumps(found[each])}\n" for each in order), "utf-8")


if __name__ == "__main__":
    main()
