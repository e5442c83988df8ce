"""Tasks as JSON and back, without loss: the form in which datasets store an episode of HandMeThat."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias, TypeVar, cast

from chorewright.domains.handmethat.object_space import category_of, object_space
from chorewright.domains.library import handmethat_domain
from chorewright.domains.pddl.parser import parse_formula
from chorewright.domains.pddl.syntax import Formula, Typed
from chorewright.domains.pddl.writer import write_formula
from chorewright.errors import ChorewrightError, InputError, Location
from chorewright.planner.plan import GroundAction
from chorewright.problems.handmethat.scene import HUMAN, HandMeThatScene, SceneAgent, SceneEntity
from chorewright.problems.handmethat.states import RELATIONS
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.rsa.handmethat.meanings import Grounding, Meaning, meaning_of

Json: TypeAlias = Mapping[str, object]
T = TypeVar("T")

VERSION = 1


def dumps(task: HandMeThatTask) -> str:
    """Return a task as one line of JSON; equal tasks give equal texts."""
    return json.dumps(to_record(task), sort_keys=True, separators=(",", ":"))


def loads(text: str, path: str | None = None) -> HandMeThatTask:
    """Return the task of a text made by ``dumps``.

    Raises:
        InputError: It is no such text.
    """
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {error}", location=Location(path)) from error
    return from_record(record, path)


def to_record(task: HandMeThatTask) -> dict[str, object]:
    """Return a task as JSON values.

    Objects are words in one string: ``"box_0 large red open inside cabinet_0"``. ``scene`` has only the
    objects that the human has changed.
    """
    before = task.start.by_name
    return {
        "version": VERSION,
        "name": task.name,
        "start": _scene(task.start, task.start.entities),
        "scene": _scene(task.scene, [each for each in task.scene.entities if each != before[each.name]]),
        "plan": [[step.name, *step.arguments] for step in task.plan],
        "observed": task.observed,
        "goal": _formula(task.goal),
        "subgoal": None if task.subgoal is None else _formula(task.subgoal),
        "meaning": _meaning(task.meaning),
        "utterance": _meaning(task.utterance),
        "understood": None if task.understood is None else _meaning(task.understood),
        "sentence": task.sentence,
        "level": task.level,
        "useful": [list(each) for each in task.useful],
        "template": task.template,
        "number": task.number,
        "demonstration": list(task.demonstration),
    }


def from_record(record: Json, path: str | None = None) -> HandMeThatTask:
    """Return the task of a record.

    Raises:
        InputError: A value is missing or not of the right shape; the JSON path is told.
    """
    if not isinstance(record, Mapping) or record.get("version") != VERSION:
        raise InputError(f"not a task of HandMeThat, version {VERSION}", location=Location(path))

    def read(key: str, reader: Callable[[object], T]) -> T:
        try:
            return reader(record[key])
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, ChorewrightError) as error:
            said = error.message if isinstance(error, ChorewrightError) else repr(error)
            raise InputError(said, location=Location(path, json_path=f"$.{key}")) from error

    start = read("start", lambda value: _read_scene(_mapping(value), ()))
    objects = [Typed(HUMAN, ("human",)), *(Typed(e.name, (category_of(e.name),)) for e in start.entities)]

    names = {each.name for each in start.entities}

    def grounding(value: object) -> Grounding:
        name, argument = _grounding(value)
        if name not in names:
            raise InputError(f"there is no object {name!r}")
        return name, argument

    plan = read("plan", lambda value: tuple(_action(step) for step in _list(value)))

    def observed(value: object) -> int:
        count = _count(value)
        if count > len(plan):
            raise InputError(f"{count} actions of {len(plan)} cannot be observed")
        return count

    def formula(value: object) -> Formula:
        return parse_formula(_text(value), handmethat_domain(), objects)

    return HandMeThatTask(
        name=read("name", _text),
        start=start,
        scene=read("scene", lambda value: _read_scene(_mapping(value), start.entities)),
        plan=plan,
        observed=read("observed", observed),
        goal=read("goal", formula),
        subgoal=read("subgoal", lambda value: None if value is None else formula(value)),
        meaning=read("meaning", _read_meaning),
        utterance=read("utterance", _read_meaning),
        understood=read("understood", lambda value: None if value is None else _read_meaning(value)),
        sentence=read("sentence", _text),
        level=read("level", _count),
        useful=read("useful", lambda value: tuple(grounding(each) for each in _list(value))),
        template=read("template", _text),
        number=read("number", _count),
        demonstration=read("demonstration", lambda value: tuple(_text(each) for each in _list(value))),
    )


def _scene(scene: HandMeThatScene, entities: Sequence[SceneEntity]) -> dict[str, object]:
    return {
        "objects": [_words(each) for each in entities],
        "human": [scene.human.at, scene.human.holding],
        "robot": [scene.robot.at, scene.robot.holding],
    }


def _words(entity: SceneEntity) -> str:
    where = (entity.relation, entity.container) if entity.container else ()
    looks = (each for each in (entity.size, entity.color) if each)
    states = (state for state in object_space().states if state in entity.states)
    return " ".join((entity.name, *looks, *states, *where))


def _read_scene(value: Json, before: Sequence[SceneEntity]) -> HandMeThatScene:
    """Return a scene whose objects are those of before, with the ones of the record changed or added."""
    found = {each.name: each for each in before}
    for words in _list(value["objects"]):
        entity = _entity(_text(words))
        if bool(before) != (entity.name in found):
            raise InputError(f"{entity.name!r} occurs twice, or did not exist at the start")
        found[entity.name] = entity
    for each in found.values():
        if each.container and each.container not in found:
            raise InputError(f"{each.name} is in {each.container!r}, which does not exist")
    return HandMeThatScene(tuple(found.values()), _agent(value["human"]), _agent(value["robot"]))


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


def _agent(value: object) -> SceneAgent:
    at, holding = map(_text, _list(value))
    return SceneAgent(at, holding)


def _formula(formula: Formula) -> str:
    return " ".join(write_formula(formula).split())


def _meaning(meaning: Meaning) -> list[object]:
    return [meaning.quest.value, dict(meaning.description), meaning.argument]


def _read_meaning(value: object) -> Meaning:
    quest, description, argument = _list(value)
    known: dict[str, str | bool] = {}
    for specifier, each in _mapping(description).items():
        if not isinstance(each, str | bool):
            raise InputError(f"{each!r} is not a value of {specifier!r}")
        known[specifier] = each
    return meaning_of(_text(quest), known, None if argument is None else _text(argument))


def _action(value: object) -> GroundAction:
    name, *arguments = map(_text, _list(value))
    return GroundAction(name, tuple(arguments))


def _grounding(value: object) -> Grounding:
    name, argument = _list(value)
    return _text(name), None if argument is None else _text(argument)


def _mapping(value: object) -> Json:
    if not isinstance(value, Mapping):
        raise InputError(f"expected an object, not {value!r:.40}")
    return value


def _list(value: object) -> Sequence[object]:
    if not isinstance(value, list):
        raise InputError(f"expected a list, not {value!r:.40}")
    return cast("Sequence[object]", value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise InputError(f"expected a string, not {value!r:.40}")
    return value


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise InputError(f"expected a whole number, not {value!r:.40}")
    return value
