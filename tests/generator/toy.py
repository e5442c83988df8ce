"""A recipe without planner or simulator, to test store and production with: numbers in, tiny episodes out.

Options, all given as ``--option name=value``: ``delay`` seconds per episode; ``reject`` every n-th index;
``kill`` index whose worker dies once (the flag file named by ``flag`` remembers); ``crash`` index that
raises.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path

from chorewright.generator.episode import Episode, Instruction, Outcome, Segment, Step
from chorewright.generator.recipe import Assignment, GenerateConfig, random_for
from chorewright.planner.plan import GroundAction
from chorewright.problems.thor.kinds import shipped_kinds
from chorewright.problems.thor.scene import Attributes, Pose, Scene, SceneObject

NAME = "tests.generator.toy:ToyRecipe"


def toy_config(episodes: int = 40, shard_size: int = 5, seed: int = 3, **options: object) -> GenerateConfig:
    """Return a configuration of the toy recipe."""
    pairs = tuple((name, (str(value),)) for name, value in options.items())
    return GenerateConfig(NAME, episodes, seed, shard_size, pairs)


class ToyRecipe:
    """Throws a die: the episode's steps count up to the number shown."""

    name = NAME

    def assign(self, config: GenerateConfig, count: int) -> Sequence[Assignment]:
        splits = ("train", "valid_seen", "valid_unseen")
        return [
            Assignment(i, f"count-to-{i % 4}", (("object", f"thing{i % 4}"),), f"Room{i % 3}", splits[i % 3])
            for i in range(count)
        ]

    def episode(self, index: int, config: GenerateConfig, assignment: Assignment) -> Episode:
        _misbehave(index, config)
        random = random_for(config, index)
        numbers = [int(n) for n in random.integers(1, 100, size=int(random.integers(2, 30)))]
        reject = int(next(iter(config.option("reject")), "0"))
        accepted = not (reject and index % reject == reject - 1)
        thing = SceneObject(
            f"Mug|+00.{index:02d}|+00.93|-01.20",
            "Mug",
            (0.1 * index, 0.93, -1.2),
            (0.0, 90.0, 0.0),
            (0.1, 0.2, 0.3),
            (0.1, 0.1, 0.1),
            parents=("CounterTop|+00.00|+00.90|-01.00",),
            attributes=Attributes(is_dirty=index % 2 == 0, liquid="water" if index % 3 == 0 else None),
            traits=shipped_kinds()["Mug"],
        )
        return Episode(
            recipe=self.name,
            index=index,
            seed=int(random.integers(2**31)),
            task=assignment.task,
            parameters=assignment.parameters,
            split=assignment.split,
            scene=Scene(
                assignment.scene, "kitchen", (thing,), ((0, 0), (0, 1)), 0.9, Pose(0, 0, 1, 30), kinds=shipped_kinds()
            ),
            domain_sha256="0" * 64,
            problem_sha256="1" * 64,
            goal=f"(counted {sum(numbers)})",
            plan=tuple(GroundAction("count", (f"n{n}",)) for n in numbers),
            plan_cost=float(len(numbers)),
            planner="toy",
            planner_configuration="none",
            segments=(Segment("Count", (assignment.task,)), Segment("End", ())),
            steps=tuple(Step("Count", 0, f'{{"number": {n}}}', True, (("counted", f"n{n}"),)) for n in numbers),
            instructions=(
                Instruction(f"Count to {len(numbers)}.", "goal"),
                Instruction("Say each number.", "step", 0, 0),
            ),
            outcome=Outcome(accepted, "" if accepted else "the die fell off the table", (("counted", accepted),)),
            attempts=1,
            extras=(("dice", "1"),),
        )


def _misbehave(index: int, config: GenerateConfig) -> None:
    """Do what the fault tests ask for; none of it changes an episode."""
    delay = float(next(iter(config.option("delay")), "0"))
    if delay:
        time.sleep(delay)
    if config.option("kill") == (str(index),):
        flag = Path(config.option("flag")[0])
        if not flag.exists():
            flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
    if config.option("always_kill") == (str(index),):
        os.kill(os.getpid(), signal.SIGKILL)
    if config.option("crash") == (str(index),):
        raise ZeroDivisionError("the die has no sides")
