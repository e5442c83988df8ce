"""The world as a whole: random actions in real rooms, invariants, metadata in AI2-THOR's schema."""

from __future__ import annotations

import json
import random
import subprocess
import sys

import pytest

from benchmarks.corpora.reference import sample
from chorewright.problems.household.metadata import scene_from_metadata
from chorewright.problems.household.places import resting_place
from chorewright.problems.household.rooms import load_room
from chorewright.problems.household.scene import Scene
from chorewright.replay.household import TEACH_SETTINGS, ThorWorld
from chorewright.replay.household.world import INTERACTIONS, MOTIONS
from chorewright.replay.simulator import Argument, SimulatorAction
from tests.replay.household.toy import BASIN, COUNTER, EGG, FAUCET, KNIFE, LAMP, MUG, POTATO, do, kitchen, run, world

ROOMS = ("FloorPlan2", "FloorPlan17", "FloorPlan219", "FloorPlan308", "FloorPlan424")


def invariants(scene: Scene, made: ThorWorld) -> None:
    ids = [body.object_id for body in scene.objects]
    assert len(ids) == len(set(ids))
    held = {body.object_id: set(body.parents) for body in scene.objects}
    assert {parent for parents in held.values() for parent in parents} <= set(ids)
    assert {(inner, outer) for inner, outers in held.items() for outer in outers} == {
        (inner, outer) for outer, inners in made.room.contents.items() for inner in inners
    }
    for name in ids:
        assert name not in made.room.within(name)
    assert (scene.agent.x, scene.agent.z) in set(scene.grid)
    if scene.holding is not None:
        assert not held[scene.holding]


def random_action(scene: Scene, dice: random.Random) -> SimulatorAction:
    bodies = [body for body in scene.objects if body.traits.item or body.receptacle or dice.random() < 0.3]
    if scene.holding is not None and dice.random() < 0.5:
        receptacle = dice.choice([body for body in scene.objects if body.receptacle])
        return SimulatorAction("PutObject", {"objectId": receptacle.object_id, "forceAction": dice.random() < 0.7})
    name = dice.choice([*list(INTERACTIONS)[:15], "MoveAhead", "RotateLeft", "Teleport"])
    arguments: dict[str, Argument] = {"objectId": dice.choice(bodies).object_id, "forceAction": True}
    if name == "Teleport":
        x, z = dice.choice(scene.grid)
        arguments = {"x": x / 4, "z": z / 4}
    return SimulatorAction(name, arguments)


@pytest.mark.parametrize("room", ROOMS)
def test_random_actions_keep_the_world_in_order(room: str) -> None:
    made, dice = ThorWorld(TEACH_SETTINGS), random.Random(room)
    made.reset(load_room(room))
    done = 0
    scene = made.scene()
    for _ in range(400):
        event = made.step(random_action(scene, dice))
        after = made.scene()
        if event.success:
            done += 1
            invariants(after, made)
        else:
            assert after == scene, event.error_message
        scene = after
    assert done > 60


WORDS: tuple[Argument, ...] = (
    None, True, -1, 0, 1e308, float("nan"), "", "Mug|m", [], {}, [{}], {"x": "y"}, [1], {"x": 1, "z": 1},
    [{"objectName": "Mug_1", "position": {"x": 0.0}, "rotation": {}}], [{"objectType": "Mug", "count": -3}],
)  # fmt: skip
NAMES = ("objectId", "receptacleObjectId", "forceAction", "moveMagnitude", "degrees", "position", "rotation",
         "horizon", "x", "z", "objectPoses", "objectToggles", "StateChange", "randomSeed", "numRepeats",
         "fillLiquid", "fieldOfView", "excludedReceptacles", "minFreePerReceptacleType")  # fmt: skip


def test_any_arguments_are_answered_with_an_event() -> None:
    made, dice = world(), random.Random(1)
    for _ in range(4000):
        if dice.random() < 0.02:
            made.reset(kitchen())
        arguments = {name: dice.choice(WORDS) for name in dice.sample(NAMES, dice.randrange(5))}
        event = made.step(SimulatorAction(dice.choice([*MOTIONS, *INTERACTIONS, "Nonsense"]), arguments))
        assert event.success is not bool(event.error_message)


def test_events_are_the_same_under_every_hash_seed() -> None:
    program = (
        "import hashlib, json, random\n"
        "from tests.replay.household.test_world import random_action\n"
        "from chorewright.problems.household.rooms import load_room\n"
        "from chorewright.replay.household import ThorWorld\n"
        "made, dice = ThorWorld(), random.Random(5)\n"
        "made.reset(load_room('FloorPlan4'))\n"
        "seen = [repr(made.step(random_action(made.scene(), dice))) for _ in range(150)]\n"
        "seen.append(json.dumps(made.metadata(), sort_keys=True, default=str))\n"
        "print(hashlib.sha256('\\n'.join(seen).encode()).hexdigest())\n"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            check=True,
            text=True,
            env={"PYTHONHASHSEED": seed, "PATH": "", "PYTHONPATH": ":".join(path for path in sys.path if path)},
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(digests) == 1


def test_metadata_has_the_fields_of_recorded_games() -> None:
    game = json.loads(sample("teach/sample_data/games/valid_seen/synth0001.game.json").read_text())
    recorded = game["tasks"][0]["episodes"][0]["initial_state"]["objects"][0]
    made = world()
    run(made, f"PickupObject {MUG}")
    metadata = made.metadata()
    objects = metadata["objects"]
    assert isinstance(objects, list)
    older = {"ObjectTemperature"}  # renamed since
    custom = {key for key in recorded if key.startswith("simbot")}
    for record in objects:
        assert set(recorded) - older - custom <= set(record)
    visible = {record["objectId"] for record in objects if record["visible"]}
    assert {MUG, EGG, LAMP} <= visible
    assert metadata["inventoryObjects"] == [{"objectId": MUG, "objectType": "Mug"}]
    agent = metadata["agent"]
    assert agent == {
        "name": "agent",
        "position": {"x": 0.0, "y": 0.901, "z": 0.0},
        "rotation": {"x": 0.0, "y": 0.0, "z": 0.0},
        "cameraHorizon": 45.0,
        "isStanding": True,
        "inHighFrictionArea": False,
    }
    json.dumps(metadata)


@pytest.mark.parametrize("room", ROOMS)
def test_a_scene_survives_its_metadata(room: str) -> None:
    made = ThorWorld()
    made.reset(load_room(room))
    scene = made.scene()
    back = scene_from_metadata(made.metadata(), points=[[x / 4, z / 4] for x, z in scene.grid])
    assert back.agent == scene.agent
    assert [body.object_id for body in back.objects] == [body.object_id for body in scene.objects]
    ours, theirs = ([body.parents for body in which.objects] for which in (scene, back))
    assert sum(a == b for a, b in zip(ours, theirs, strict=True)) >= 0.97 * len(ours)


def test_set_object_poses_puts_items_where_it_says() -> None:
    made = world()
    upright: Argument = {"x": 0, "y": 0, "z": 0}
    poses: list[Argument] = [
        {"objectName": "Mug_1234abcd", "position": {"x": 0.3, "y": 0.9, "z": 0.6}, "rotation": upright},
        {"objectName": "Apple_0001", "position": {"x": -0.4, "y": 0.78, "z": 0.7}, "rotation": upright},
        {"objectName": "Unheard_of", "position": {"x": 0.3, "y": 0.9, "z": 0.6}, "rotation": upright},
    ]
    assert do(made, "SetObjectPoses", objectPoses=poses).success
    items = {body.object_id: body.parents for body in made.room.objects.values() if body.traits.item}
    assert items == {"Mug|+00.30|+00.90|+00.60": (COUNTER,), "Apple|-00.40|+00.78|+00.70": (BASIN,)}


def test_toggles_and_states_of_all_objects() -> None:
    made = world()
    toggles: list[Argument] = [{"objectType": "DeskLamp", "isOn": True}, {"objectType": "Mug", "isOn": True}]
    assert do(made, "SetObjectToggles", objectToggles=toggles).success
    assert [b.object_id for b in made.room.objects.values() if b.attributes.is_toggled] == [LAMP]
    assert do(made, "SetStateOfAllObjects", StateChange="CanBeFilled", forceAction=True).success
    assert made.room.objects[MUG].attributes.liquid == "water"
    assert do(made, "SetStateOfAllObjects", StateChange="CanBeFilled", forceAction=False).success
    assert made.room.objects[MUG].attributes.liquid is None
    assert do(made, "SetStateOfAllObjects", StateChange="CanBeDirty", forceAction=False).success
    assert not made.room.objects[MUG].attributes.is_dirty


def test_states_of_a_kind_are_whole_states() -> None:
    """What is emptied holds no coffee, what is cooked has been cooked, and what is opened is quite open."""
    made = world()

    def put(change: str, state: str, on: bool, kind: str = "") -> None:
        told: dict[str, Argument] = {"objectType": kind, "stateChange": change, state: on}
        assert do(made, "SetObjectStates", SetObjectStates=told).success

    made.room.change(MUG, liquid="coffee", brewed=True)
    put("canFillWithLiquid", "isFilledWithLiquid", False, "Mug")
    assert (made.room.objects[MUG].attributes.liquid, made.room.objects[MUG].attributes.brewed) == (None, False)
    put("cookable", "isCooked", True)
    cookable = [body for body in made.room.objects.values() if "cookable" in body.traits.affordances]
    assert cookable
    assert all(body.attributes.cooked for body in cookable)
    opening = [name for name, body in made.room.objects.items() if "openable" in body.traits.affordances]
    assert opening
    made.room.openness.update(dict.fromkeys(opening, 0.3))
    put("openable", "isOpen", True)
    assert not made.room.openness


def test_random_spawns_follow_their_seed_and_counts() -> None:
    made = ThorWorld()
    scenes = []
    for seed in (1, 1, 2):
        made.reset(load_room("FloorPlan6"))
        repeats: list[Argument] = [{"objectType": "Mug", "count": 3}]
        assert do(made, "InitialRandomSpawn", randomSeed=seed, numRepeats=repeats).success
        scenes.append(made.scene())
        invariants(scenes[-1], made)
    assert scenes[0] == scenes[1] != scenes[2]
    for scene in scenes:
        assert sum(body.kind == "Mug" for body in scene.objects) == 3
        assert scene.agent == load_room("FloorPlan6").agent


def test_a_world_needs_a_scene() -> None:
    with pytest.raises(RuntimeError, match="reset"):
        ThorWorld().step(SimulatorAction("Pass"))


def test_a_scene_taken_from_a_world_starts_another() -> None:
    made = world()
    run(made, f"PickupObject {KNIFE}", f"SliceObject {POTATO}", f"ToggleObjectOn {FAUCET}", "MoveBack")
    other = ThorWorld()
    other.reset(made.scene())
    assert other.scene() == made.scene()
    for both in (made, other):
        assert run(both, f"PutObject {BASIN}").success
    assert other.scene() == made.scene()
    assert not other.room.objects[KNIFE].attributes.is_dirty


def test_a_second_faucet_works_on_the_same_basin() -> None:
    made = ThorWorld()
    made.reset(load_room("FloorPlan27"))
    basins = [made.room.switches[name] for name in made.room.objects if name.startswith("Faucet")]
    assert len(basins) == 2
    assert basins[0] == basins[1]


def test_resting_places_agree_with_ai2thors_own_receptacles() -> None:
    """Against what AI2-THOR lists for the items of all rooms; the rest are desks with hutches and such."""
    agreed = items = 0
    for number in (*range(1, 31), *range(201, 231), *range(301, 331), *range(401, 431)):
        scene = load_room(f"FloorPlan{number}")
        for body in scene.objects:
            if body.traits.item and body.parents:
                found = resting_place(body, scene.objects)
                items += 1
                agreed += found is not None and found.object_id == body.parents[0]
    assert items > 1800
    assert agreed >= 0.95 * items
