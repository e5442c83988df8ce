"""ALFRED's recorded demonstrations in the THOR world, judged by ALFRED's conditions and by our templates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice

import pytest

from benchmarks.alfred_demos import Demonstration, demonstration_scene, demonstrations, match_fixtures, recorded_kind
from benchmarks.alfred_replay import Names, conditions, replay, simulator_action
from benchmarks.corpora.demonstrations import layouts
from benchmarks.corpora.reference import Corpus, reference, sample
from chorewright.problems.household.rooms import load_room
from chorewright.problems.household.scene import Scene, SceneObject
from chorewright.replay.household import ALFRED_SETTINGS, ThorWorld


def recorded(step: int, first: int = 0, corpus: Corpus = sample) -> Iterator[Demonstration]:
    return islice(demonstrations(corpus("alfred/demos-train.jsonl.gz")), first, None, step)


def alfreds_conditions(demonstration: Demonstration, world: ThorWorld) -> list[bool]:
    """Return ALFRED's goal conditions (env/tasks.py as spec 1.4 tells it, classes taken strictly)."""
    scene = world.scene()
    target = demonstration.parameter("object_target")
    wanted = f"{target}Sliced" if demonstration.sliced else target
    parent, movable = demonstration.parameter("parent_target"), demonstration.parameter("mrecep_target")
    items = [body for body in scene.objects if body.kind == wanted]
    placed = [body for body in items if around(scene, body, parent)]
    found: list[bool] = [bool(items)] if demonstration.sliced else []
    if demonstration.task == "look_at_obj_in_light":
        lamp = demonstration.parameter("toggle_target")
        lit = [body for body in scene.objects if body.kind == lamp and body.attributes.is_toggled]
        found.append(any(scene.holding == body.object_id for body in items))
        found.append(any(world.visible(body.object_id) for body in lit))
    elif demonstration.task == "pick_two_obj_and_place":
        most = max(Counter(holder for body in placed for holder in around(scene, body, parent)).values(), default=0)
        found += [most >= 1, most >= 2]
    elif demonstration.task == "pick_and_place_with_movable_recep":
        carried = [body for body in items if around(scene, body, movable)]
        trays = [body for body in scene.objects if body.kind == movable and around(scene, body, parent)]
        stacked = any(tray.object_id in around(scene, body, movable) for body in carried for tray in trays)
        found += [bool(carried), bool(trays), stacked]
    else:
        found.append(bool(placed))
        verb = {"heat": "heated", "cool": "cooled", "clean": "cleaned"}.get(demonstration.task.split("_")[1])
        if verb is not None:
            done = {name for name, body in world.room.objects.items() if getattr(body.attributes, verb)}
            found.append(any(body.object_id in done for body in items))
            found.append(any(body.object_id in done for body in placed))
    return found


def around(scene: Scene, body: SceneObject, kind: str) -> list[str]:
    """Return the receptacles of a kind that hold an object, directly or not."""
    by_id = {other.object_id: other for other in scene.objects}
    holders, queue = [], list(body.parents)
    for holder in queue:
        queue += by_id[holder].parents
        if by_id[holder].kind == kind:
            holders.append(holder)
    return holders


@pytest.mark.parametrize("cut", [1.0, 0.6])
def test_templates_and_alfreds_conditions_agree(cut: float) -> None:
    """At the end, and after part of the actions, where most conditions do not hold."""
    seen: Counter[bool] = Counter()
    for demonstration in recorded(9, 5):
        scene = demonstration_scene(demonstration)
        world, names = ThorWorld(ALFRED_SETTINGS), Names(scene)
        world.reset(scene)
        for step in demonstration.steps[: int(cut * len(demonstration.steps))]:
            assert world.step(simulator_action(step, names, world)).success
        ours = [holds for _, holds in conditions(demonstration, world.scene())]
        theirs = alfreds_conditions(demonstration, world)
        assert sorted(ours) == sorted(theirs), demonstration.name
        seen.update(ours)
    assert seen[True] > 30
    assert cut == 1.0 or seen[False] > 20


def test_recorded_actions_reach_their_goals() -> None:
    results = [replay(demonstration) for demonstration in recorded(6, 1)]
    assert sum(result.success for result in results) >= 0.95 * len(results)
    assert sum(not result.failures for result in results) >= 0.95 * len(results)


@pytest.mark.reference
@pytest.mark.slow
def test_all_recorded_actions_reach_their_goals() -> None:
    results = [replay(demonstration) for demonstration in recorded(1, 0, reference)]
    assert sum(result.success for result in results) >= 0.99 * len(results)


def test_a_demonstration_in_the_wrong_room_fails() -> None:
    """The world is not so lenient that anything succeeds."""
    failed = total = 0
    for demonstration in islice(recorded(30, 7), 12):
        other = "FloorPlan1" if demonstration.floor_plan != "FloorPlan1" else "FloorPlan2"
        world, names = ThorWorld(ALFRED_SETTINGS), Names(load_room(other))
        world.reset(load_room(other))
        events = [world.step(simulator_action(step, names, world)) for step in demonstration.steps]
        failed += not all(event.success for event in events)
        total += 1
    assert failed == total


def test_recorded_fixtures_are_found_by_id_then_kind_and_distance() -> None:
    """Spec (thor.md): 541 of 895 receptacles have the same id, 316 the same type within 0.5 m."""
    same = kind = total = 0
    for name, layout in sorted(layouts().items()):
        scene = load_room(name)
        kinds = {body.object_id: body.kind for body in scene.objects}
        matched = match_fixtures(scene, tuple(sorted(layout["receptacle_poses"])))
        assert len({ours for ours in matched.values() if ours}) == sum(ours is not None for ours in matched.values())
        total += len(matched)
        same += sum(ours == theirs for theirs, ours in matched.items())
        kind += sum(
            ours is not None and ours != theirs and kinds[ours] == recorded_kind(theirs)
            for theirs, ours in matched.items()
        )
    assert total == 895
    assert same == 541
    assert kind >= 316
