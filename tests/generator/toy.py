"""A benchmark without planner or simulator, to test store and production with: numbers in, tiny episodes out.

Its options make it slow, reject or fail.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from chorewright.files.plugins import allow_code
from chorewright.generator.dataset.config import Assignment, GenerateConfig
from chorewright.generator.dataset.episode import Episode, Instruction, Outcome, Segment, Step
from chorewright.generator.dataset.options import configure, option, read_options
from chorewright.generator.production.attempts import Attempt
from chorewright.generator.production.benchmark import Benchmark
from chorewright.generator.showing.moments import EpisodeCamera, FilmStyle
from chorewright.generator.training.trajectory import Column, Feature, FrameSentences, Trajectories
from chorewright.planner.plan import GroundAction
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.scene import Attributes, Pose, Scene, SceneObject
from chorewright.replay.simulator import Frame

NAME = "tests.generator.toy:ToyBenchmark"
allow_code([NAME])  # so that the datasets of these tests may name it


@dataclass(frozen=True, slots=True)
class ToyOptions:
    """How the benchmark misbehaves."""

    delay: float = option(0.0, "Seconds that each episode takes.")
    reject: int = option(0, "Reject every n-th index.")
    kill: int = option(-1, "The index whose worker dies once.")
    flag: str = option("", "A file that remembers that it has died.")
    always_kill: int = option(-1, "The index whose worker always dies.")
    crash: int = option(-1, "The index that raises.")
    hang: int = option(-1, "The index that never ends, whatever signal asks it to.")
    exhaust: int = option(-1, "The index that takes all memory.")
    mended: str = option("", "A file; as soon as it is there, no index dies, hangs or takes all memory.")


def toy_config(episodes: int = 40, shard_size: int = 5, seed: int = 3, **options: object) -> GenerateConfig:
    """Return a configuration of the toy benchmark."""
    return configure(ToyBenchmark(), NAME, episodes, options, seed=seed, shard_size=shard_size)


class ToyMoments(Trajectories[list[int]]):
    """Reads the die's steps as frames: a number, a word, and a picture in the number's colour."""

    fps = 4
    robot = "die"
    style = FilmStyle(100, 2)
    features: tuple[Feature, ...] = (
        Feature("observation.state", "float32", ("number", "half")),
        Feature("action", "int64", ("number",)),
        Feature("action.word", "string", ("word",)),
    )
    cameras = (EpisodeCamera("above", 32), EpisodeCamera("aside", 16))

    def sentences(self, episode: Episode) -> FrameSentences:
        goal = episode.instructions[0].text
        return FrameSentences([goal] * len(episode.steps), [f"count {each.action}" for each in episode.steps])

    def columns(self, episode: Episode) -> Mapping[str, Column]:
        numbers = np.arange(len(episode.steps), dtype=np.int64) + episode.index
        state = np.stack([numbers, numbers / 2], axis=1).astype(np.float32)
        words = [f"w{number}" for number in numbers]
        return {"observation.state": state, "action": numbers[:, None], "action.word": words}

    def set_up(self, episode: Episode) -> list[int]:
        return [0]

    def step(self, world: list[int], step: Step) -> str:
        world[0] += 1
        return ""

    def draw(self, world: list[int], sizes: Sequence[int]) -> Sequence[Frame]:
        return [Frame.of_colours(np.full((side, side, 3), (world[0] * 8, 90, 200), np.uint8)) for side in sizes]


class ToyBenchmark(Benchmark[Assignment, None]):
    """Throws a die: the episode's steps count up to the number shown."""

    name = NAME
    world = ""
    options = ToyOptions

    def moments(self) -> ToyMoments:
        return ToyMoments()

    def assign(self, config: GenerateConfig, count: int) -> Sequence[Assignment]:
        splits = ("train", "valid_seen", "valid_unseen")
        return [
            Assignment(i, f"count-to-{i % 4}", (("object", f"thing{i % 4}"),), f"Room{i % 3}", splits[i % 3])
            for i in range(count)
        ]

    def candidates(
        self, config: GenerateConfig, assignment: Assignment, rng: np.random.Generator, tried: Sequence[object]
    ) -> Iterator[Assignment]:
        yield assignment

    def attempt(self, config: GenerateConfig, candidate: Assignment) -> Attempt[Assignment, None]:
        _misbehave(candidate.index, config)
        return Attempt(candidate, None)

    def speak(
        self, config: GenerateConfig, blank: Episode, attempt: Attempt[Assignment, None], rng: np.random.Generator
    ) -> Episode:
        assignment, index, random = attempt.candidate, blank.index, rng
        numbers = [int(n) for n in random.integers(1, 100, size=int(random.integers(2, 30)))]
        reject = read_options(ToyOptions, config).reject
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
            benchmark=self.name,
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
    asked = read_options(ToyOptions, config)
    if asked.delay:
        time.sleep(asked.delay)
    if asked.kill == index and not Path(asked.flag).exists():
        Path(asked.flag).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    mended = bool(asked.mended) and Path(asked.mended).exists()
    if asked.always_kill == index and not mended:
        os.kill(os.getpid(), signal.SIGKILL)
    if asked.hang == index and not mended:
        signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals))
        signal.pause()
    if asked.exhaust == index and not mended:
        raise MemoryError
    if asked.crash == index:
        raise ZeroDivisionError("the die has no sides")
