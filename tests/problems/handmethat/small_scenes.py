"""Small scenes in all kinds of states, and goals that want something of them, for tests of costs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from chorewright.domains.pddl.syntax import And, Atom, Exists, Forall, Formula, Not, Typed
from chorewright.problems.handmethat.scene import (
    HandMeThatScene,
    SceneAgent,
    SceneEntity,
    containers,
    restrict,
    sample_scene,
)


def _every(kind: str, *wanted: Formula) -> Formula:
    return Forall((Typed("?x", (kind,)),), And(wanted))


def _some(kind: str, wanted: Formula, name: str = "?y") -> Formula:
    return Exists((Typed(name, (kind,)),), wanted)


def _is(word: str, *terms: str) -> Atom:
    return Atom(word, terms or ("?x",))


GOALS: dict[str, tuple[str, Formula]] = {
    "put on": ("sandal", _every("sandal", _is("ontop", "?x", "table_0"))),
    "put in any": ("cube box", _some("box", _every("cube", _is("inside", "?x", "?y")))),
    "put in a closed one": (
        "cube package",
        _some("package", And((_every("cube", _is("inside", "?x", "?y")), Not(_is("open", "?y"))))),
    ),
    "two kinds": (
        "pop document refrigerator",
        And((_every("document", _is("ontop", "?x", "table_0")), _every("pop", _is("inside", "?x", "refrigerator_0")))),
    ),
    "one in each": (
        "candle chair",
        Forall((Typed("?y", ("chair",)),), _some("candle", _is("ontop", "?x", "?y"), "?x")),
    ),
    "slice": ("apple knife carving-knife", _every("apple", _is("sliced"))),
    "heat": ("egg stove refrigerator oven", _every("egg", _is("cooked"))),
    "cool": ("milk refrigerator", _every("milk", _is("frozen"))),
    "clean things": ("cup dishtowel sink bucket", _every("cup", Not(_is("dusty")))),
    "clean places": (
        "rag broom scrub-brush sink stove bucket",
        _every("stove", Not(_is("stained")), Not(_is("dusty"))),
    ),
    "soak": ("rag sink bucket", And((_some("rag", _is("soaked"), "?x"), Not(_is("dusty", "table_0"))))),
    "open": ("package", _every("package", _is("open"))),
    "toggle": ("modem", _every("modem", _is("toggled"), _is("ontop", "?x", "table_0"))),
}


def small_scene(kinds: str, rng: np.random.Generator, others: int) -> HandMeThatScene:
    """Some kinds of things, some others, and where they are; doors open or not, the human anywhere."""
    scene = sample_scene(rng)
    wanted = kinds.split()
    names = {each.name for each in scene.entities if each.category.name in (*wanted, "table", "floor")}
    for pool in (scene.movables, [each for each in scene.entities if not each.category.movable]):
        count = others if pool is scene.movables else 2
        names |= {pool[int(number)].name for number in rng.choice(len(pool), count, replace=False)}
    for name in sorted(names):
        names |= set(containers(scene, name))
    small = restrict(scene, frozenset(names))
    places = [each.name for each in small.entities if not each.category.movable]
    entities = tuple(_door(each, rng) for each in small.entities)
    return HandMeThatScene(entities, SceneAgent(places[int(rng.integers(len(places)))]), small.robot)


def _door(entity: SceneEntity, rng: np.random.Generator) -> SceneEntity:
    open_now = entity.can_be("open") and bool(rng.integers(2))
    dusty = entity.can_be("dusty") and bool(rng.integers(2))
    states = (entity.states - {"dusty"}) | ({"open"} if open_now else set()) | ({"dusty"} if dusty else set())
    return replace(entity, states=frozenset(states))
