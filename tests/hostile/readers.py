"""The readers of the product: a name, nasty cases of a valid example, and a function that reads a file."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import typer

from benchmarks.corpora.reference import sample
from chorewright.cli import build, verb_names
from chorewright.commands.starting.defaults import NAME, VARIABLE, default_map, settings_files
from chorewright.domains.library import household_domain, household_vocabulary
from chorewright.domains.pddl.parser import load_domain, load_problem
from chorewright.domains.teach.definitions import load_definitions, shipped_definitions
from chorewright.domains.teach.progress import check
from chorewright.domains.teach.world import world_of
from chorewright.domains.templates.parser import load_template as load_task
from chorewright.domains.vocabulary_files import load_vocabulary
from chorewright.files.json_source import load_json
from chorewright.generator.alfred.saying import say_recording
from chorewright.generator.dataset.store.manifest import MANIFEST
from chorewright.generator.household.own_scenes import read_own_scene
from chorewright.generator.measuring.evaluation import play
from chorewright.generator.teach.evaluation import ACTIONS, INFERENCE, TeachEvaluation
from chorewright.generator.teach.metrics import read_game as read_session
from chorewright.generator.teach.options import TeachTrial
from chorewright.planner.plan_files import LOG, read_plan
from chorewright.problems.behavior.kinds import load_own
from chorewright.problems.calvin.chains import load_chains
from chorewright.problems.handmethat.states import load_scene
from chorewright.problems.household.houses.reading import load_house
from chorewright.problems.household.houses.scenes import house_scene
from chorewright.problems.household.metadata import read_scene
from chorewright.problems.pddl.template_files import load_template
from chorewright.replay.alfred.reading import read_game
from chorewright.replay.handmethat.checks import check_reference
from chorewright.rsa.words.files import load_wordings
from tests.command import ROOT
from tests.hostile.datasets import manifest_cases, manifest_text, read_manifest_file
from tests.hostile.nasty import Case, json_cases, token_cases, toml_cases
from tests.hostile.rows import ARGUMENTS, DETAILS, reader, text_of

EXAMPLES = ROOT / "tests" / "corpus" / "hostile"
CLASSIC = ROOT / "chorewright" / "domains" / "classic"
HOUSEHOLD = ROOT / "chorewright" / "domains" / "household"
SESSION = "synth0001"


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader of the product.

    Attributes:
        name: Of the reader.
        file: The name of the file that it reads.
        example: Returns a valid file.
        cases: Returns the nasty files that are made of it.
        read: Reads a file.
    """

    name: str
    file: str
    example: Callable[[], bytes]
    cases: Callable[[bytes], Iterable[Case]]
    read: Callable[[Path], object]


def _json(example: bytes) -> Iterable[Case]:
    return json_cases(json.loads(example))


def _tokens(example: bytes) -> Iterable[Case]:
    return token_cases(example.decode())


def _toml(example: bytes) -> Iterable[Case]:
    return toml_cases(example.decode())


def _text(text: str) -> Callable[[], bytes]:
    return text.encode


def _file(path: Path) -> Callable[[], bytes]:
    return path.read_bytes


def _dumped(value: Any) -> Callable[[], bytes]:
    return json.dumps(value).encode


DOMAIN = """(define (domain carrying) (:requirements :typing :adl :numeric-fluents :action-costs :durative-actions)
 (:types thing place - object heavy - thing) (:constants depot - place)
 (:predicates (at ?t - thing ?p - place) (open ?p - place) (near ?p ?q - place))
 (:functions (total-cost) - number (load ?p - place))
 (:derived (near ?p ?q - place) (or (open ?p) (exists (?t - thing) (at ?t ?q))))
 (:action move :parameters (?t - thing ?p ?q - place)
  :precondition (and (at ?t ?p) (not (at ?t ?q)) (imply (open ?p) (near ?p ?q)) (>= (load ?q) 1.5))
  :effect (and (not (at ?t ?p)) (at ?t ?q) (when (open ?q) (not (open ?p))) (increase (total-cost) 2)))
 (:durative-action wait :parameters (?p - place) :duration (= ?duration 3)
  :condition (at start (open ?p)) :effect (at end (not (open ?p)))))
"""
PROBLEM = """(define (problem one) (:domain carrying) (:objects a b - heavy x y - place)
 (:init (at a x) (at b y) (open x) (= (load x) 2) (= (load y) 3.5) (= (total-cost) 0))
 (:goal (and (at a y) (forall (?t - heavy) (exists (?p - place) (at ?t ?p)))))
 (:metric minimize (total-cost)))
"""
PLAN = "; cost = 2 (general cost)\n(move a x y)\n(wait y)\n"
TIMED_PLAN = "0.0: (move a x y) [1.0]\n1.0: (wait y) [3]\n"
ACTIVITY = """(define (problem bringing_in_wood_0) (:domain omnigibson)
 (:objects plywood.n.01_1 plywood.n.01_2 - plywood.n.01 floor.n.01_1 - floor.n.01 agent.n.01_1 - agent.n.01)
 (:init (ontop plywood.n.01_1 floor.n.01_1) (not (open plywood.n.01_2)) (inroom floor.n.01_1 garage)
  (ontop plywood.n.01_2 floor.n.01_1) (ontop agent.n.01_1 floor.n.01_1))
 (:goal (and (forall (?plywood.n.01 - plywood.n.01) (ontop ?plywood.n.01 ?floor.n.01_1))
  (forn (2) (?plywood.n.01 - plywood.n.01) (not (open ?plywood.n.01)))
  (exists (?floor.n.01 - floor.n.01) (or (ontop ?plywood.n.01_1 ?floor.n.01)
   (imply (open plywood.n.01_1) (open ?floor.n.01)))))))
"""
SETTINGS = """quiet = true
[plan]
time-limit = 10
engine = "lama"
[generate]
workers = 2
[generate.alfred]
episodes = 4
seed = 7
tasks = ["alfred/pick_and_place_simple"]
[view]
output = "a.html"
"""
KINDS = {
    "Thermos": {"affordances": ["pickupable"], "fits": ["CounterTop"], "size": [0.1, 0.3, 0.1], "noun": "flask"},
    "Loaf": {"pickupable": True, "pieces": {"kind": "BreadSliced", "count": 3}, "rooms": ["kitchen"], "sets": ["a"]},
}
VECTOR = {"x": 0.5, "y": 0.9, "z": 0.25}
SCENE = {
    "sceneName": "FloorPlan1",
    "agent": {"position": VECTOR, "rotation": {"x": 0, "y": 90, "z": 0}, "cameraHorizon": 30},
    "inventoryObjects": [{"objectId": "Mug|1", "objectType": "Mug"}],
    "lastAction": "GetReachablePositions",
    "actionReturn": [VECTOR, {"x": 0.75, "y": 0.9, "z": 0.25}],
    "objects": [
        {
            "objectId": f"{kind}|{number}",
            "objectType": kind,
            "name": kind,
            "position": VECTOR,
            "rotation": {"x": 0, "y": 0, "z": 0},
            "parentReceptacles": [],
            "receptacle": number == 0,
            "isOpen": False,
            "isPickedUp": number == 1,
            "isFilledWithLiquid": number == 1,
            "fillLiquid": "water",
            "ObjectTemperature": "RoomTemp",
            "simbotLastParentReceptacle": None,
            "axisAlignedBoundingBox": {"center": VECTOR, "size": {"x": 0.5, "y": 0.5, "z": 0.5}},
        }
        for number, kind in enumerate(("CounterTop", "Mug"))
    ],
}
TASK = {
    "task_id": 900,
    "task_name": "Tidy Mugs",
    "task_nparams": 1,
    "task_anchor_object": None,
    "desc": "Tidy #0.",
    "components": {
        "#0": {
            "determiner": "all",
            "primary_condition": "objectType",
            "instance_shareable": False,
            "conditions": {"objectType": "Mug", "isDirty": 0},
            "condition_failure_descs": {"isDirty": "The mug is dirty."},
        },
        "table": {
            "determiner": "a",
            "primary_condition": "objectType",
            "instance_shareable": True,
            "conditions": {"objectType": "CounterTop", "receptacle": 1},
            "condition_failure_descs": {},
        },
    },
    "relations": [
        {
            "property": "parentReceptacles",
            "tail_entity_list": ["table"],
            "tail_determiner_list": ["the"],
            "head_entity_list": ["#0"],
            "head_determiner_list": ["all"],
            "failure_desc": "The mug is not on the counter.",
        }
    ],
}


def _without_points() -> bytes:
    scene: Any = {key: value for key, value in SCENE.items() if key not in ("lastAction", "actionReturn")}
    things = []
    for number, (kind, x, z) in enumerate((("CounterTop", 0, 0), ("Fridge", 4, 0), ("Shelf", 0, 4), ("Mug", 4, 4))):
        middle = {"x": x, "y": 0.5, "z": z}
        box = {"center": middle, "size": {"x": 0.5, "y": 1, "z": 0.5}}
        thing = {"objectId": f"{kind}|{number}", "objectType": kind, "position": middle, "axisAlignedBoundingBox": box}
        things.append({**thing, "receptacle": kind != "Mug"})
    return json.dumps({**scene, "inventoryObjects": [], "objects": things}).encode()


def _problem(path: Path) -> object:
    (path.parent / "domain").write_text(DOMAIN, "utf-8")
    return load_problem(path, load_domain(path.parent / "domain"))


def _ferry(name: str, load: Callable[..., object]) -> Callable[[Path], object]:
    return lambda path: load(path, load_domain(CLASSIC / name))


def _house(path: Path) -> object:
    return house_scene(load_house(path), "house")


def _own(path: Path) -> object:
    return read_own_scene(path)


def _state(path: Path) -> object:
    source = load_json(path)
    with source.locate():
        world = world_of(source.value, household_vocabulary().classes, path=str(path))
    return check(shipped_definitions().task("Coffee"), world)


def _session(path: Path) -> object:
    game = read_session(path)
    known = household_vocabulary().classes
    return game.world, game.interactions(), [game.state(f"{name}_state", known) for name in ("initial", "final")]


def _inference(changed: str, kind: str) -> Callable[[Path], object]:
    """Return what measures the recorded inference of a kind with one of its files changed."""

    def read(path: Path) -> object:
        folder = path.parent / "all"
        folder.mkdir(exist_ok=True)
        for each in sorted(sample("teach/sample_data").rglob("*.json")):
            if kind in each.name or each.name.endswith(".game.json"):
                here = path if each.name == changed else each
                (folder / each.name).write_bytes(here.read_bytes())
        return play(TeachEvaluation(), TeachTrial(dataset=str(folder), workers=0))

    return read


def _settings(path: Path) -> object:
    words = ["generate", "alfred"]
    files = settings_files({VARIABLE: str(path)})
    return default_map(typer.main.get_command(build(words)), files, words, verb_names)


def _recording(path: Path) -> object:
    return say_recording(path, 0, 1)


def _of_teach(name: str) -> Callable[[], bytes]:
    (path,) = sample("teach/sample_data").rglob(name)
    return path.read_bytes


def _handmethat() -> bytes:
    path = sorted(sample("handmethat/v2_raw").glob("*.json.gz"))[0]
    return gzip.decompress(path.read_bytes())


def _first_chains() -> bytes:
    chains = json.loads(sample("calvin/sequences_1000.json").read_bytes())
    return json.dumps(chains[:2]).encode()


READERS = (
    Reader("PDDL domain", "domain.pddl", _text(DOMAIN), _tokens, load_domain),
    Reader("PDDL problem", "problem.pddl", _text(PROBLEM), _tokens, _problem),
    Reader("plan", "a.plan", _text(PLAN), _tokens, read_plan),
    Reader("timed plan", "a.plan", _text(TIMED_PLAN), _tokens, read_plan),
    Reader("plan in an output", "a.plan", _text(PLAN), _tokens, lambda path: read_plan(path, LOG)),
    Reader(
        "task",
        "a.task",
        _file(HOUSEHOLD / "tasks" / "alfred" / "pick_heat_then_place_in_recep.task"),
        _tokens,
        lambda path: load_task(path, household_domain(), household_vocabulary()),
    ),
    Reader("template", "a.template", _file(CLASSIC / "ferry.template"), _tokens, _ferry("ferry.pddl", load_template)),
    Reader("wordings", "a.say", _file(CLASSIC / "ferry.say"), _tokens, _ferry("ferry.pddl", load_wordings)),
    Reader("activity", "a.bddl", _text(ACTIVITY), _tokens, load_own),
    Reader("task definition", "a.json", _dumped(TASK), _json, partial(load_definitions, base=shipped_definitions())),
    Reader("kinds", "kinds.json", _dumped(KINDS), _json, partial(load_vocabulary, base=household_vocabulary())),
    Reader("scene", "scene.json", _dumped(SCENE), _json, read_scene),
    Reader("scene of one's own", "scene.json", _without_points, _json, _own),
    Reader("house", "house.json", _file(ROOT / "tests/corpus/houses/three_rooms.json"), _json, _house),
    Reader("older house", "house.json", _file(ROOT / "tests/corpus/houses/three_rooms_0_0_1.json"), _json, _house),
    Reader("chains", "chains.json", _first_chains, _json, load_chains),
    Reader("text game", "game.tw-pddl", _file(EXAMPLES / "game.tw-pddl"), _json, read_game),
    Reader("recording", "traj_data.json", _file(EXAMPLES / "traj_data.json"), _json, _recording),
    Reader("state", "state.json", _dumped(SCENE), _json, _state),
    Reader("session", "a.game.json", _of_teach("*.game.json"), _json, _session),
    *(
        Reader(f"inference, {name}", name, _of_teach(name), _json, _inference(name, kind))
        for kind in ("edh0", "tfd")
        for name in (f"{SESSION}.{kind}.json", f"{INFERENCE}{SESSION}.{kind}.json", f"{ACTIONS}{SESSION}.{kind}.json")
    ),
    Reader("HandMeThat's scene", "task-1.json", _handmethat, _json, load_scene),
    Reader("HandMeThat's episode", "task-1.json", _handmethat, _json, check_reference),
    *(
        Reader(
            f"{benchmark}'s {field}", "row.json", partial(text_of, benchmark, field), _json, reader(benchmark, field)
        )
        for benchmark, fields in (
            ("alfred", (ARGUMENTS, DETAILS)),
            ("teach", ("final", "progress", "dialogue", ARGUMENTS, DETAILS)),
            ("handmethat", ("task", ARGUMENTS, DETAILS)),
            ("objectnav", ("shortest_path", ARGUMENTS)),
            ("behavior", (ARGUMENTS,)),
        )
        for field in fields
    ),
    Reader("manifest", MANIFEST, manifest_text, manifest_cases, read_manifest_file),
    Reader("settings", NAME, _text(SETTINGS), _toml, _settings),
)
