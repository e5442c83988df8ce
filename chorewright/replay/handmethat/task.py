"""The task of one episode: what the robot has watched and is asked, what is meant, and the human's goal."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TypeAlias

from chorewright.domains.handmethat.object_space import category_of, object_space
from chorewright.domains.library import handmethat_domain
from chorewright.domains.pddl.parser import parse_formula
from chorewright.domains.pddl.syntax import Formula, Typed
from chorewright.domains.pddl.writer import write_formula_line
from chorewright.errors import InputError, Location
from chorewright.files.json_node import root
from chorewright.files.json_source import bare
from chorewright.files.records import read_record
from chorewright.planner.plan import GroundAction
from chorewright.planner.validation import simulate
from chorewright.problems.handmethat.scene import HUMAN, HandMeThatScene, SceneAgent, SceneEntity
from chorewright.problems.handmethat.states import RELATIONS, problem_of, scene_at
from chorewright.rsa.handmethat.meanings import Context, Grounding, Meaning, context_of, meaning_of


@dataclass(frozen=True)
class HandMeThatTask:
    """One episode ⟨s_0, G, Ω, s_T, m, u⟩ of the paper (section 3), with the facts that determine its level.

    Attributes:
        name: What it is called, for example the index of its episode.
        start: s_0, the scene before any action.
        scene: s_T, the scene at the request, with the agents where they are.
        plan: The human's whole plan.
        observed: T, how many of its actions the robot has watched.
        goal: G, over the domain's types and the names of the scene's objects.
        meaning: m.
        utterance: u.
        sentence: u in English.
        level: The hardness, 1 to 4.
        useful: A(G), of the request's type.
        understood: r, what the pragmatic listener understands.
        template: The full name of the goal's template; empty if it is not known.
        number: The goal's number in the paper's tables, from 0; -1 if it is not known.
        subgoal: The part of G that m serves.
        demonstration: Commands that fulfil the request.
    """

    name: str
    start: HandMeThatScene
    scene: HandMeThatScene
    plan: tuple[GroundAction, ...]
    observed: int
    goal: Formula
    meaning: Meaning
    utterance: Meaning
    sentence: str
    level: int
    useful: tuple[Grounding, ...] = ()
    understood: Meaning | None = None
    template: str = ""
    number: int = -1
    subgoal: Formula | None = None
    demonstration: tuple[str, ...] = ()

    @property
    def prefix(self) -> tuple[GroundAction, ...]:
        """Ω, what the robot has watched."""
        return self.plan[: self.observed]

    @cached_property
    def context(self) -> Context:
        """The things that the request may be about."""
        return context_of(self.scene)

    @cached_property
    def groundings(self) -> tuple[Grounding, ...]:
        """A(m): the grounded subgoals, any of which fulfils the request."""
        return self.context.groundings(self.meaning)


def scene_after(start: HandMeThatScene, actions: tuple[GroundAction, ...], goal: Formula) -> HandMeThatScene:
    """Return the scene after actions of the human; the robot stays where it is.

    Raises:
        InputError: An action cannot be run.
    """
    domain = handmethat_domain()
    problem = problem_of(start, goal, HUMAN)
    steps = simulate(domain, problem, actions)
    if len(steps) < len(actions):
        raise InputError(f"action {len(steps) + 1} of the human cannot be run: {actions[len(steps)]}")
    return scene_at(start, steps[-1].state) if steps else start


# Tasks as JSON and back, without loss: the form in which datasets store an episode of HandMeThat.

_MeaningRecord: TypeAlias = tuple[str, Mapping[str, str | bool], str | None]
"""The type of a request, its description and its argument."""

VERSION = 1

_PLAIN = ("name", "observed", "sentence", "level", "useful", "template", "number", "demonstration")
"""Attributes of a task that are stored as they are."""


@dataclass(frozen=True, slots=True)
class _SceneRecord:
    """Objects as words in one string each, ``"box_0 large red open inside cabinet_0"``; agents by place and load."""

    objects: tuple[str, ...]
    human: tuple[str, str]
    robot: tuple[str, str]


@dataclass(frozen=True, slots=True)
class _TaskRecord:
    """A task; ``scene`` has only the objects that the human has changed, formulas are PDDL."""

    version: int
    name: str
    start: _SceneRecord
    scene: _SceneRecord
    plan: tuple[tuple[str, ...], ...]
    observed: int
    goal: str
    subgoal: str | None
    meaning: _MeaningRecord
    utterance: _MeaningRecord
    understood: _MeaningRecord | None
    sentence: str
    level: int
    useful: tuple[Grounding, ...]
    template: str
    number: int
    demonstration: tuple[str, ...]


def dumps(task: HandMeThatTask) -> str:
    """Return a task as one line of JSON; equal tasks give equal texts."""
    before = task.start.by_name
    record = {
        "version": VERSION,
        "start": asdict(_scene(task.start, task.start.entities)),
        "scene": asdict(_scene(task.scene, [each for each in task.scene.entities if each != before[each.name]])),
        "plan": [(step.name, *step.arguments) for step in task.plan],
        "goal": write_formula_line(task.goal),
        "subgoal": None if task.subgoal is None else write_formula_line(task.subgoal),
        "meaning": _meaning(task.meaning),
        "utterance": _meaning(task.utterance),
        "understood": None if task.understood is None else _meaning(task.understood),
        **{name: getattr(task, name) for name in _PLAIN},
    }
    return json.dumps(record, sort_keys=True, separators=(",", ":"))


def loads(text: str, path: str | None = None) -> HandMeThatTask:
    """Return the task of a text made by ``dumps``.

    Raises:
        InputError: It is no such text, or a value is missing or not of the right shape; the JSON path is told.
    """
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {error}", location=Location(path)) from error
    if not isinstance(record, dict) or record.get("version") != VERSION:
        raise InputError(f"not a task of HandMeThat, version {VERSION}", location=Location(path))
    node = root(bare(record, path))
    told = read_record(_TaskRecord, node)
    with node["start"].blame():
        start = _read_scene(told.start, ())
    with node["scene"].blame():
        scene = _read_scene(told.scene, start.entities)
    objects = [Typed(HUMAN, ("human",)), *(Typed(e.name, (category_of(e.name),)) for e in start.entities)]

    def formula(key: str, said: str) -> Formula:
        with node[key].blame():
            return parse_formula(said, handmethat_domain(), objects)

    def meaning(key: str, said: _MeaningRecord) -> Meaning:
        with node[key].blame():
            return meaning_of(*said)

    for each in node["plan"].items():
        if not each.value:
            raise each.expected("an action")
    if told.observed > len(told.plan):
        raise node["observed"].error(f"{told.observed} actions of {len(told.plan)} cannot be observed")
    for name, _ in told.useful:
        if name not in start.by_name:
            raise node["useful"].error(f"there is no object {name!r}")
    return HandMeThatTask(
        start=start,
        scene=scene,
        plan=tuple(GroundAction(name, tuple(arguments)) for name, *arguments in told.plan),
        goal=formula("goal", told.goal),
        subgoal=None if told.subgoal is None else formula("subgoal", told.subgoal),
        meaning=meaning("meaning", told.meaning),
        utterance=meaning("utterance", told.utterance),
        understood=None if told.understood is None else meaning("understood", told.understood),
        **{name: getattr(told, name) for name in _PLAIN},
    )


def _scene(scene: HandMeThatScene, entities: Sequence[SceneEntity]) -> _SceneRecord:
    human, robot = ((agent.at, agent.holding) for agent in (scene.human, scene.robot))
    return _SceneRecord(tuple(map(_words, entities)), human, robot)


def _words(entity: SceneEntity) -> str:
    where = (entity.relation, entity.container) if entity.container else ()
    looks = (each for each in (entity.size, entity.color) if each)
    states = (state for state in object_space().states if state in entity.states)
    return " ".join((entity.name, *looks, *states, *where))


def _read_scene(told: _SceneRecord, before: Sequence[SceneEntity]) -> HandMeThatScene:
    """Return a scene whose objects are those of before, with the ones of the record changed or added."""
    found = {each.name: each for each in before}
    for entity in map(_entity, told.objects):
        if bool(before) != (entity.name in found):
            raise InputError(f"{entity.name!r} occurs twice, or did not exist at the start")
        found[entity.name] = entity
    for each in found.values():
        if each.container and each.container not in found:
            raise InputError(f"{each.name} is in {each.container!r}, which does not exist")
    return HandMeThatScene(tuple(found.values()), SceneAgent(*told.human), SceneAgent(*told.robot))


def _entity(text: str) -> SceneEntity:
    space = object_space()
    name, *words = text.split()
    category = space.categories.get(category_of(name))
    if category is None or not name.rpartition("_")[2].isdecimal():
        raise InputError(f"{name!r} is not an object of HandMeThat")
    relation = container = ""
    if len(words) > 1 and words[-2] in RELATIONS:
        *words, relation, container = words
    states = frozenset(word for word in words if word in space.states_of(category.name))
    looks = {
        attribute: next((word for word in words if word in space.attributes[attribute]), "")
        for attribute in space.attributes_of(category.name)
    }
    odd = [word for word in words if word not in states and word not in looks.values()]
    if odd:
        raise InputError(f"{odd[0]!r} cannot be said of {name}")
    return SceneEntity(name, relation, container, states, looks.get("color", ""), looks.get("size", ""))


def _meaning(meaning: Meaning) -> _MeaningRecord:
    return meaning.quest.value, dict(meaning.description), meaning.argument
