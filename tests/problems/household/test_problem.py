"""Scenes as planning problems: well formed, faithful to the scene, and solvable."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from chorewright.domains.library import household_domain, household_vocabulary
from chorewright.domains.pddl.parser import parse_problem
from chorewright.domains.pddl.syntax import TRUE, And, Atom, Exists, Formula, GroundAtom, Not, Typed
from chorewright.domains.pddl.writer import write_problem
from chorewright.planner.plan import GroundAction, Plan
from chorewright.planner.planning import solve
from chorewright.planner.validation import validate
from chorewright.problems.household.containment import matters
from chorewright.problems.household.navigation import Grid
from chorewright.problems.household.problem import household_problem
from chorewright.problems.household.rooms import load_room, room_names
from chorewright.problems.household.scene import Pose, Scene
from chorewright.problems.household.spawn import spawn
from chorewright.problems.household.state import pose_name, shut_in, state_of


def some(kind: str, place: str, *extra: str) -> Formula:
    literals = [Atom("in", ("?x", "?r")), *(Atom(word, ("?x",)) for word in extra)]
    return Exists((Typed("?x", (kind,)), Typed("?r", (place,))), And(tuple(literals)))


def spawned(name: str, seed: int = 0) -> Scene:
    return spawn(load_room(name), np.random.default_rng(seed))


@pytest.mark.parametrize("name", room_names()[::8])
def test_written_problems_parse_to_themselves(name: str) -> None:
    goal = some("item", "receptacle") if name == "" else some("book", "fixture")
    problem = household_problem(spawned(name), goal).problem
    assert parse_problem(write_problem(problem), household_domain()) == problem


@pytest.mark.parametrize("name", room_names()[::5])
def test_problem_says_what_the_scene_says(name: str) -> None:
    scene = spawned(name, 3)
    compiled = household_problem(scene, TRUE)
    init = set(compiled.problem.init)
    assert len(init) == len(compiled.problem.init)
    objects = {thing.object_id: thing for thing in scene.objects}
    assert set(compiled.ids.values()) == {thing.object_id for thing in scene.objects if matters(thing)}
    vocabulary = household_vocabulary()
    types = {typed.name: typed.types[0] for typed in compiled.problem.objects}
    for name_, object_id in compiled.ids.items():
        thing, kind = objects[object_id], vocabulary.kind(objects[object_id].kind)
        assert types[name_] == kind.pddl_type
        assert name_.rsplit("_", 1)[0] == kind.pddl_type
        assert (("furniture", name_) in init) == ("pickupable" not in kind.affordances)
        assert (("toggleable", name_) in init) == ("toggleable" in kind.affordances)
        assert (("is-on", name_) in init) == (thing.attributes.is_toggled and "toggleable" in kind.affordances)
        assert (("dirty", name_) in init) == thing.attributes.is_dirty
    names = {object_id: name_ for name_, object_id in compiled.ids.items()}
    for _, item, receptacle in (atom for atom in init if atom[0] == "fits"):
        assert vocabulary.fits(types[item], types[receptacle])
    for thing in scene.objects:
        if thing.traits.item:
            assert ("in", names[thing.object_id], names[thing.parents[0]]) in init
            poses = [atom[2] for atom in init if atom[:2] == ("near", names[thing.object_id])]
            assert len(poses) <= 1
            if poses and thing.object_id not in shut_in(scene):
                assert ("near", names[thing.parents[0]], poses[0]) in init
    hidden = {names[object_id] for object_id in shut_in(scene)}
    assert hidden == set(names.values()) - {atom[1] for atom in init if atom[0] == "exposed"}
    grid = Grid.of(scene)
    for value in compiled.problem.values[:: max(1, len(compiled.problem.values) // 50)]:
        start, goal = (compiled.poses[pose] for pose in value.objects)
        assert value.value == grid.distances([start, goal])[0, 1]
    count = len(compiled.poses)
    assert len(compiled.problem.values) == count * (count - 1)
    assert all(pose_name(pose) == name_ for name_, pose in compiled.poses.items())


def test_numbering_follows_the_scene() -> None:
    scene = load_room("FloorPlan10")
    ids = household_problem(scene, TRUE).ids
    cabinets = [thing.object_id for thing in scene.objects if thing.kind == "Cabinet"]
    assert [ids[f"cabinet_{number}"] for number in range(1, len(cabinets) + 1)] == cabinets


@pytest.mark.parametrize(
    ("pose", "name"), [(Pose(-3, 4, 2, 45), "pose_m3_4_2_45"), (Pose(0, -1, 0, -30), "pose_0_m1_0_m30")]
)
def test_pose_names(pose: Pose, name: str) -> None:
    assert pose_name(pose) == name


def test_pieces_are_declared_when_the_goal_mentions_them() -> None:
    scene = load_room("FloorPlan1")
    plain = household_problem(scene, some("apple", "fridge"))
    assert not any("sliced" in name for name in plain.ids)
    sliced = household_problem(scene, Not(some("applesliced", "fridge")))
    pieces = [name for name in sliced.ids if "sliced" in name]
    assert pieces == ["applesliced_1_1", "applesliced_1_2", "applesliced_1_3"]
    assert sliced.ids["applesliced_1_2"] == sliced.ids["apple_1"] + "|AppleSliced_2"
    init = set(sliced.problem.init)
    assert ("piece-of", "applesliced_1_2", "apple_1") in init
    assert ("fits", "applesliced_1_2", "fridge_1") in init
    assert not any(atom[0] in ("present", "in", "near", "exposed") and atom[1] in pieces for atom in init)
    named = household_problem(scene, Atom("hot", ("potatosliced_1_1",)))
    assert "potatosliced_1_1" in named.ids


def test_appliances() -> None:
    init = set(household_problem(load_room("FloorPlan1"), TRUE).problem.init)
    counts = Counter(atom[0] for atom in init)
    for atom in (
        ("tidy",),
        ("hand-empty",),
        ("heats", "microwave_1"),
        ("shut-to-run", "microwave_1"),
        ("controls", "microwave_1", "microwave_1"),
        ("chills", "fridge_1"),
        ("brews", "coffeemachine_1"),
        ("controls", "faucet_1", "sinkbasin_1"),
        ("rinses", "faucet_1"),
        ("cooks", "microwave_1", "potato_1"),
        ("sharp", "knife_1"),
        ("door", "cabinet_1"),
        ("drain", "sinkbasin_1"),
        ("single", "stoveburner_1"),
        ("in", "egg_1", "fridge_1"),
    ):
        assert atom in init
    assert counts["controls"] >= 4 + 1 + 3
    assert ("exposed", "egg_1") not in init
    assert ("tidy",) not in household_problem(load_room("FloorPlan1"), TRUE, tidy=False).problem.init


@pytest.mark.parametrize("name", room_names()[2::10])
def test_state_of_a_scene_is_the_initial_state(name: str) -> None:
    """A scene's state differs from its problem's initial state only in what is near."""
    scene = spawned(name, 4)
    compiled = household_problem(scene, TRUE)
    init, state = set(compiled.problem.init), state_of(scene, compiled.ids)
    assert {atom[0] for atom in init - state} <= {"tidy", "near"}
    assert {atom[0] for atom in state - init} <= {"near"}
    here = pose_name(scene.agent)
    assert all(atom[2] == here for atom in state if atom[0] == "near")


def test_what_stood_open_or_ran_at_the_start_is_not_left_so() -> None:
    """The state agrees with the problem's initial state; what is opened or turned on later is left so."""
    start = _with(spawned("FloorPlan1", 4), "Cabinet", is_open=True)
    start = _with(start, "StoveKnob", is_toggled=True)
    compiled = household_problem(start, TRUE)
    names = {object_id: name for name, object_id in compiled.ids.items()}
    assert sorted(names[object_id] for object_id in compiled.begun) == ["cabinet_1", "stoveknob_1"]
    tidiness = {"ajar", "running", "left-open", "left-on"}

    def left(scene: Scene) -> set[GroundAtom]:
        return {atom for atom in state_of(scene, compiled.ids, compiled.begun) if atom[0] in tidiness}

    assert {("is-open", "cabinet_1"), ("is-on", "stoveknob_1")} <= set(compiled.problem.init)
    assert not left(start)
    assert left(_with(start, "Fridge", is_open=True)) == {("ajar",), ("left-open", "fridge_1")}
    assert left(_with(start, "Microwave", is_toggled=True)) == {("running",), ("left-on", "microwave_1")}


def _with(scene: Scene, kind: str, **attributes: bool) -> Scene:
    """Return a scene with the first object of a kind changed."""
    first = next(thing for thing in scene.objects if thing.kind == kind)
    changed = replace(first, attributes=replace(first.attributes, **attributes))
    return replace(scene, objects=tuple(changed if one is first else one for one in scene.objects))


@pytest.mark.parametrize(
    ("init", "names", "valid"),
    [
        ("(is-open cabinet_1)", "open fridge_1, close cabinet_1, go-to", False),
        ("(is-open cabinet_1)", "open fridge_1, close fridge_1, go-to", True),
        ("(is-open cabinet_1)", "go-to", True),
        ("(is-open cabinet_1)", "close cabinet_1, open cabinet_1, close cabinet_1, go-to", True),
        ("(is-open cabinet_1)", "close cabinet_1, open cabinet_1, go-to", False),
        ("(is-on knob_1)", "toggle-on microwave_1, toggle-off knob_1, go-to", False),
        ("(is-on knob_1)", "toggle-on microwave_1, toggle-off microwave_1, go-to", True),
        ("(is-on knob_1)", "toggle-off knob_1, go-to", True),
    ],
)
def test_tidy_means_each_door_and_appliance(init: str, names: str, valid: bool) -> None:
    """Closing one thing does not excuse another that was left open."""
    facts = "".join(
        f"(near {thing} p0) (exposed {thing}) ({ability} {thing}) ({role} {thing})"
        for thing, ability, role in (
            ("fridge_1", "openable", "door"),
            ("cabinet_1", "openable", "door"),
            ("microwave_1", "toggleable", "attended"),
            ("knob_1", "toggleable", "attended"),
        )
    )
    problem = parse_problem(
        "(define (problem tidy) (:domain household) (:objects p0 p1 - pose fridge_1 - fridge"
        " cabinet_1 - cabinet microwave_1 - microwave knob_1 - stoveknob)"
        f" (:init (tidy) (at p0) (hand-empty) {facts} {init}"
        " (= (distance p0 p1) 1) (= (distance p1 p0) 1) (= (total-cost) 0)) (:goal (at p1))"
        " (:metric minimize (total-cost)))",
        household_domain(),
    )
    steps = [name.split() for name in names.split(", ")]
    plan = [GroundAction(name, (*things, "p0")) for name, *things in steps[:-1]]
    assert validate(household_domain(), problem, [*plan, GroundAction("go-to", ("p0", "p1"))]).valid == valid


@pytest.mark.parametrize(
    ("room", "goal"),
    [
        ("FloorPlan1", some("egg", "microwave", "hot")),
        ("FloorPlan1", some("knife", "sinkbasin", "cleaned")),
        ("FloorPlan10", some("applesliced", "plate")),
        ("FloorPlan10", some("mug", "coffeemachine", "coffee")),
        ("FloorPlan301", Exists((Typed("?x", ("desklamp",)),), Not(Atom("is-on", ("?x",))))),
        ("FloorPlan401", some("cloth", "bathtubbasin")),
    ],
)
def test_solvable(room: str, goal: Formula) -> None:
    problem = household_problem(load_room(room), goal).problem
    plan = solve(household_domain(), problem)
    assert isinstance(plan, Plan)
    assert validate(household_domain(), problem, plan.actions).valid


def test_what_is_held() -> None:
    """The held item and what lies in it are near nothing; the hand is not empty."""
    scene = load_room("FloorPlan1")
    bowl = next(thing for thing in scene.objects if thing.kind == "Bowl")
    objects = tuple(
        replace(thing, parents=())
        if thing.kind == "Bowl"
        else replace(thing, parents=(bowl.object_id,))
        if thing.kind == "Egg"
        else thing
        for thing in scene.objects
    )
    scene = replace(scene, objects=objects, holding=bowl.object_id)
    init = household_problem(scene, TRUE).problem.init
    assert ("holding", "bowl_1") in init
    assert ("hand-empty",) not in init
    assert ("in", "egg_1", "bowl_1") in init
    assert ("exposed", "egg_1") in init
    assert not [atom for atom in init if atom[0] == "near" and atom[1] in ("bowl_1", "egg_1")]


def test_pieces_in_the_scene() -> None:
    """Pieces that exist are items like any other; they do not clash with those that may come to be."""
    scene = load_room("FloorPlan1")
    potato = next(thing for thing in scene.objects if thing.kind == "Potato")
    pieces = tuple(
        replace(
            potato,
            object_id=f"{potato.object_id}|PotatoSliced_{number}",
            kind="PotatoSliced",
            traits=scene.kinds["PotatoSliced"],
        )
        for number in (1, 2)
    )
    scene = replace(scene, objects=(*scene.objects, *pieces))
    compiled = household_problem(scene, some("potatosliced", "microwave", "hot"))
    assert len(compiled.ids) == len(set(compiled.ids))
    assert ("present", "potatosliced_2") in compiled.problem.init
    assert ("piece-of", "potatosliced_1_1", "potato_1") in compiled.problem.init


@pytest.mark.parametrize(
    ("name", "expected"),
    [("FloorPlan7", "floorplan7"), ("my room (2)", "my-room-2"), ("7", "scene-7"), ("<b>", "b"), ("", "scene")],
)
def test_problem_names(name: str, expected: str) -> None:
    scene = replace(load_room("FloorPlan402"), name=name)
    problem = household_problem(scene, TRUE).problem
    assert problem.name == expected
    assert parse_problem(write_problem(problem), household_domain()) == problem


@pytest.mark.parametrize("name", room_names())
def test_taps_are_at_hand_at_the_sink(name: str) -> None:
    """Every sink's basin has a pose from which its tap is touched (the one basin of a tub excepted)."""
    compiled = household_problem(load_room(name), TRUE)
    near: dict[str, set[str]] = {}
    for atom in compiled.problem.init:
        if atom[0] == "near":
            near.setdefault(atom[1], set()).add(atom[2])
    for atom in compiled.problem.init:
        if atom[0] == "controls" and atom[2].startswith(("sinkbasin", "stoveburner")):
            if compiled.ids[atom[2]].startswith("Bathtub"):
                continue
            assert near[atom[1]] & near[atom[2]], (name, atom)
