"""The part of a scene that can matter for a goal: a small scene from which the goal costs the same.

Nothing else is of use to either agent. In this domain:

- what is not named by the goal, holds nothing that is, and neither cleans, cuts, heats, cools nor soaks
  what has to be, is in no precondition of what is done to the rest but for the hand that it fills; a plan
  without its actions is a plan, too, and shorter;
- a receptacle of this sort could at most carry things. Every thing carried costs two actions more (put in,
  pick up) and saves at most two moves, and the receptacle has to be picked up, moved and put itself;
- a location of this sort could at most be a place to put something down, and an agent can do so where it is;
  one location to put things onto is kept, for what has to be sliced or toggled there;
- of tools of one category in the same place and state one is as good as several.

``tests/problems/handmethat/test_relevance.py`` compares costs with those of whole scenes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import islice

from chorewright.domains.handmethat.object_space import category_of, object_space
from chorewright.domains.library import handmethat_domain
from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.subformulas import atoms_with_signs, subformulas
from chorewright.problems.handmethat.scene import HandMeThatScene, SceneEntity

_CLEANS, _SOAKS = "cleans", "soaks"


def relevant(scene: HandMeThatScene, goal: syntax.Formula) -> frozenset[str]:
    """Return the names of the entities that can matter for a goal, including where the agents are."""
    named = _find_entities(scene, goal)
    kept = {entity.name: None for entity in named}
    for name in _means(scene, goal, named):
        kept[name] = None
    for agent in (scene.human, scene.robot):
        for name in (agent.at, agent.holding):
            if name in scene.by_name:
                kept[name] = None
    for name in list(kept):
        kept.update(dict.fromkeys(containers(scene, name)))
    kept.update(dict.fromkeys(islice(other_places(scene, frozenset(kept)), 1)))
    return frozenset(kept)


def restrict(scene: HandMeThatScene, names: frozenset[str]) -> HandMeThatScene:
    """Return a scene with only some of its entities; these must include their containers."""
    return replace(scene, entities=tuple(each for each in scene.entities if each.name in names))


def containers(scene: HandMeThatScene, name: str) -> Iterator[str]:
    """Yield the receptacle and location that something is in or on."""
    while container := scene.by_name[name].container:
        yield container
        name = container


def other_places(scene: HandMeThatScene, names: frozenset[str]) -> Iterator[str]:
    """Yield the locations to put things onto, without those named."""
    for each in scene.entities:
        if each.name not in names:
            category = each.category
            if not category.movable and category.relation == "ontop":
                yield each.name


def _find_entities(scene: HandMeThatScene, goal: syntax.Formula) -> list[SceneEntity]:
    """The entities of the kinds that a goal quantifies over, and those that it names."""
    found: dict[str, SceneEntity] = {}
    for word in dict.fromkeys(words(goal)):
        if word in scene.by_name:
            found[word] = scene.by_name[word]
        for category in object_space().members(word):
            found.update((each.name, each) for each in scene.by_category.get(category, ()))
    return list(found.values())


def words(formula: syntax.Formula) -> Iterator[str]:
    """Yield the types and terms of a formula."""
    for part in subformulas(formula):
        match part:
            case syntax.Atom(_, terms):
                yield from terms
            case syntax.Equals(left, right):
                yield from (left, right)
            case (
                syntax.Forall(variables=variables)
                | syntax.Exists(variables=variables)
                | syntax.AtLeast(variables=variables)
            ):
                yield from _types(variables)
            case _:
                pass


def _types(variables: tuple[syntax.Typed, ...]) -> Iterator[str]:
    for variable in variables:
        for name in variable.types:
            yield name
            yield from (each for each in object_space().classes if _above(name, each))


def _above(name: str, kind: str) -> bool:
    """Whether a type of the domain is that of a class or above it."""
    parents = {typed.name: typed.types for typed in handmethat_domain().types}
    waiting, seen = [kind], {kind}
    while waiting:
        each = waiting.pop()
        if each == name or name == "object":
            return True
        waiting += [parent for parent in parents.get(each, ()) if parent not in seen]
        seen.update(parents.get(each, ()))
    return False


def _means(scene: HandMeThatScene, goal: syntax.Formula, named: list[SceneEntity]) -> Iterator[str]:
    """Tools and appliances for what a goal wants of states, where something that it names is otherwise."""
    space = object_space()
    tools: set[str] = set()
    for state, wanted in sorted({(atom.predicate, wanted) for atom, wanted in atoms_with_signs(goal)}):
        if state not in space.states:
            continue
        others = [each for each in named if each.can_be(state) and (state in each.states) != wanted]
        for role in _roles().get((state, wanted), ()) if others else ():
            if role == _CLEANS:
                tools.update(tool for each in others for tool in each.category.cleaned_by)
            else:
                yield from _distinct(scene, _having(role))
    yield from _distinct(scene, tools)
    if any("soakable" in space.categories[tool].properties for tool in tools):
        yield from _distinct(scene, _having(_SOAKS))


def _having(role: str) -> set[str]:
    return {category.name for category in object_space().categories.values() if role in category.roles}


def _distinct(scene: HandMeThatScene, categories: set[str]) -> Iterator[str]:
    """Entities of some categories, one of those in the same place and state."""
    if not categories:
        return
    seen = set()
    for each in scene.entities:
        kind = category_of(each.name)
        if kind not in categories:
            continue
        held = each.name in (scene.human.holding, scene.robot.holding)
        key = kind, each.container, each.states, held
        if key not in seen:
            seen.add(key)
            yield each.name


@lru_cache(maxsize=1)
def _roles() -> Mapping[tuple[str, bool], tuple[str, ...]]:
    """What the actions that change a state ask for: to be ``cooked`` needs something that ``heats``."""
    roles = {role for category in object_space().categories.values() for role in category.roles} | {_CLEANS}
    found: dict[tuple[str, bool], list[str]] = {}
    for action in handmethat_domain().actions:
        needed = [atom.predicate for atom, _ in atoms_with_signs(action.precondition) if atom.predicate in roles]
        for change in changes(action.effect):
            found.setdefault(change, []).extend(needed)
    return {change: tuple(dict.fromkeys(needed)) for change, needed in found.items()}


def changes(effect: syntax.Effect) -> Iterator[tuple[str, bool]]:
    """Yield the predicates that an effect changes, and whether it makes them true."""
    match effect:
        case syntax.AddEffect(atom):
            yield atom.predicate, True
        case syntax.DeleteEffect(atom):
            yield atom.predicate, False
        case syntax.AndEffect(effects):
            for each in effects:
                yield from changes(each)
        case _:
            return
