"""The ready-made benchmark in the laundry of ``tests/plugin``: its stages, its assignments, its pictures."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from chorewright.domains.pddl.syntax import State, Typed
from chorewright.errors import ChorewrightError, DatasetCorrupt, InputErrors, UsageError
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.options import configure
from chorewright.generator.pddl.benchmark import WorldBenchmark, WorldCandidate, WorldResult
from chorewright.generator.pddl.moments import WorldMoments, paper
from chorewright.generator.pddl.world import PddlWorld
from chorewright.generator.production.attempts import Attempt
from chorewright.problems.pddl.scenes import NoScene, PddlScene
from chorewright.replay.simulator import Event, PddlSimulator, SimulatorAction
from tests.plugin.environment import PACKAGE

FOLDER = PACKAGE / "laundry" / "data"


class Cellar(PddlWorld):
    """The laundry's files with one scene and no simulator."""

    name = "laundry"
    folder = FOLDER

    def scene(self, name: str | None, seed: int) -> PddlScene:
        if name not in (None, "cellar"):
            raise UsageError(f"there is no {name}")
        if seed == 13:
            raise NoScene("unlucky")
        things = {"washer1": "washer", "dryer1": "dryer", "hamper1": "hamper", "drawer1": "drawer", "sock1": "sock"}
        init = [("empty-handed",), ("in", "sock1", "hamper1")]
        if seed == 14:
            init.append(("clean", "sock1"))
        return PddlScene("cellar", tuple(Typed(name, (kind,)) for name, kind in things.items()), tuple(init))


class Stuck(PddlSimulator):
    """A simulator whose dryer is broken."""

    def step(self, action: SimulatorAction) -> Event:
        return Event(False, "the dryer is broken") if action.action == "dry" else super().step(action)


class Dirty(PddlSimulator):
    """A simulator in which nothing gets clean."""

    def state(self) -> State:
        return frozenset(atom for atom in super().state() if atom[0] != "clean")


class CellarBenchmark(WorldBenchmark):
    """Socks in the cellar."""

    name = "cellar"
    world = "tests.generator.pddl.test_benchmark:Cellar"


def candidate(world: Cellar, seed: int = 0, cloth: str = "sock", scene: str | None = None) -> WorldCandidate:
    (template,) = [each for each in world.templates() if each.name == "hand_me"]
    return WorldCandidate(template, (("cloth", cloth),), scene, seed)


def attempt(world: Cellar, candidate: WorldCandidate) -> Attempt[WorldCandidate, WorldResult]:
    """What the benchmark makes of a candidate in a world."""
    benchmark = CellarBenchmark()
    benchmark.__dict__["the_world"] = world
    return benchmark.attempt(config(1), candidate)


def config(count: int, **options: object) -> GenerateConfig:
    return configure(CellarBenchmark(), "tests.generator.pddl.test_benchmark:CellarBenchmark", count, options)


def test_all_stages_pass() -> None:
    world = Cellar()
    made = attempt(world, candidate(world))
    assert made.accepted
    assert made.made is not None
    found = made.made.solution
    assert found.plan is not None
    assert [step.action for step in found.steps] == [action.name for action in found.plan.actions]
    assert ("clean", "sock1") in {atom for step in found.steps for atom in step.added}
    assert made.made.goal.sentences == ("Hand me a sock, clean and dry.",)


@pytest.mark.parametrize(
    ("seed", "cloth", "simulator", "reason"),
    [
        (13, "sock", PddlSimulator, "scene: unlucky"),
        (0, "towel", PddlSimulator, "compile: there is no towel"),
        (0, "sock", Stuck, "replay: (dry dryer1): the dryer is broken"),
        (0, "sock", Dirty, "goal: not met: "),
    ],
)
def test_each_stage_says_why_it_fails(seed: int, cloth: str, simulator: type[PddlSimulator], reason: str) -> None:
    class World(Cellar):
        def simulator(self) -> PddlSimulator:
            return simulator(self.domain())

    world = World()
    made = attempt(world, candidate(world, seed, cloth))
    assert made.reason.startswith(reason)
    assert made.rejection is not None
    assert made.rejection.stage in CellarBenchmark.stages


def test_what_holds_already_and_what_cannot_be_planned_is_rejected() -> None:
    class Held(Cellar):
        def scene(self, name: str | None, seed: int) -> PddlScene:
            scene = super().scene(name, 14)
            return replace(scene, init=(("held", "sock1"), *scene.init[2:]))

    world = Held()
    assert attempt(world, candidate(world)).reason == "start: the goal holds already"

    class Empty(Cellar):
        def scene(self, name: str | None, seed: int) -> PddlScene:
            return replace(super().scene(name, seed), objects=(Typed("sock1", ("sock",)),), init=(("empty-handed",),))

    assert attempt(Empty(), candidate(world)).reason.startswith("plan: ")


def test_a_scene_of_another_domain_is_an_error() -> None:
    class Wrong(Cellar):
        def scene(self, name: str | None, seed: int) -> PddlScene:
            return replace(super().scene(name, seed), init=(("fluffy", "sock1"),))

    with pytest.raises(InputErrors, match="fluffy"):
        attempt(Wrong(), candidate(Cellar()))


def test_tasks_fillings_and_splits_take_turns() -> None:
    found = CellarBenchmark().assign(asked := config(40), 40)
    assert Counter(each.task for each in found) == {"laundry/hand_me": 20, "laundry/put_away": 20}
    fillings = Counter(each.parameters for each in found if each.task == "laundry/hand_me")
    assert set(fillings.values()) == {5}
    assert Counter(each.split for each in found) == {"train": 32, "valid": 4, "test": 4}
    assert found == CellarBenchmark().assign(asked, 40)
    assert {each.split for each in CellarBenchmark().assign(config(3, splits=["test"]), 3)} == {"test"}
    with pytest.raises(UsageError, match="there is no attic"):
        CellarBenchmark().assign(config(3, scenes=["attic"]), 3)


def test_an_episode_is_run_again_and_drawn_as_text() -> None:
    benchmark = CellarBenchmark()
    asked = config(1, tasks=["hand_me"], scenes=["cellar"])
    (given,) = benchmark.assign(asked, 1)
    episode = benchmark.episode(0, asked, replace(given, parameters=(("cloth", "sock"),)))
    assert episode.outcome.accepted
    family = WorldMoments(lambda _: Cellar())
    family.replay(episode)
    view = family.last_view(episode, 200)
    assert view.shape == (200, 200, 3)
    assert (view < 128).any()  # letters on paper
    assert [moment.number for moment in family.excerpt(episode)] == list(range(len(episode.steps) + 1))
    wrong = replace(episode, steps=(replace(episode.steps[0], added=(("wet", "sock1"),)), *episode.steps[1:]))
    with pytest.raises(DatasetCorrupt, match=r"step 1 .* changes something else"):
        family.replay(wrong)
    with pytest.raises(DatasetCorrupt, match="another domain"):
        family.replay(replace(episode, domain_sha256=""))


def test_text_on_paper_is_cut_where_the_paper_ends() -> None:
    full = paper("word " * 2_000, 120)
    assert full.shape == (120, 120, 3)
    assert np.array_equal(full, paper("word " * 4_000, 120))
    assert (paper("", 64) == 255).all()


def test_a_world_says_what_its_folder_lacks(tmp_path: Path) -> None:
    class Nameless(Cellar):
        name = "garden"

    with pytest.raises(UsageError, match="a domain of another name: laundry"):
        Nameless().domain()

    class Empty(Cellar):
        folder = tmp_path

    with pytest.raises(UsageError, match="no task can be started"):
        Empty().scaffold("rake")
    with pytest.raises(ChorewrightError):
        Empty().domain()
