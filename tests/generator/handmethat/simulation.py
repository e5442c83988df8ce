"""HandMeThat's world, simulated a second time from Tables 7 to 10, and goals judged in it: for tests only.

It shares no code with the domain file, the planner or the evaluation of formulas.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from chorewright.domains.handmethat.object_space import Category, category_of, object_space
from chorewright.domains.pddl.syntax import And, Atom, Equals, Exists, Forall, Formula, Imply, Not, Or
from chorewright.problems.handmethat.scene import HandMeThatScene, SceneAgent

HEATERS = ("microwave", "stove", "oven")
CLOTHS = ("rag", "dishtowel", "hand-towel")


@dataclass
class World:
    """Where everything is and what state it is in. ``act`` changes it and says whether it could."""

    places: dict[str, tuple[str, str]]
    states: dict[str, set[str]]
    at: dict[str, str]
    held: dict[str, str]

    @staticmethod
    def of(scene: HandMeThatScene) -> World:
        return World(
            {each.name: (each.relation, each.container) for each in scene.entities if each.container},
            {each.name: set(each.states) for each in scene.entities},
            {"human_0": scene.human.at, "robot_0": scene.robot.at},
            {"human_0": scene.human.holding, "robot_0": scene.robot.holding},
        )

    def scene(self, like: HandMeThatScene) -> HandMeThatScene:
        """The scene that this has become."""
        entities = [
            replace(each, relation=relation, container=container, states=frozenset(self.states[each.name]))
            for each in like.entities
            for relation, container in [self.places.get(each.name, ("", ""))]
        ]
        human, robot = (SceneAgent(self.at[name], self.held[name]) for name in ("human_0", "robot_0"))
        return HandMeThatScene(tuple(entities), human, robot)

    def reached(self, name: str, location: str) -> bool:
        """Whether something is in or on a location (or receptacle) and not behind a closed door."""
        relation, container = self.places.get(name, ("", ""))
        shut = relation == "inside" and has(container, "openable") and "open" not in self.states[container]
        return container == location and not shut

    def act(self, name: str, agent: str, *things: str) -> bool:
        location = things[-1]
        if name == "move":
            if self.at[agent] != things[0] or things[0] == things[1]:
                return False
            self.at[agent] = things[1]
            return True
        if name in ("bring-to-human", "take-from-human"):
            giver, taker = (agent, location) if name == "bring-to-human" else (location, agent)
            if self.at[agent] != location or self.held[giver] != things[0] or self.held[taker]:
                return False
            self.held[giver], self.held[taker] = "", things[0]
            return True
        return self.at[agent] == location and self._here(name, agent, things, location)

    def _here(self, name: str, agent: str, things: tuple[str, ...], location: str) -> bool:
        word, _, rest = name.partition("-")
        if word == "pick":
            return self._pick(agent, things)
        if word == "put":
            return self._put(agent, things, "inside" if rest.startswith("inside") else "ontop")
        if word in ("open", "close", "toggle"):
            return self._switch(name, things, location)
        if word in ("heat", "cool", "soak"):
            return self._appliance(word, agent, things[0], location)
        return self._tool(word, agent, things, location)

    def _pick(self, agent: str, things: tuple[str, ...]) -> bool:
        thing, *way = things
        if self.held[agent] or not self._leads(thing, way):
            return False
        del self.places[thing]
        self.held[agent] = thing
        return True

    def _leads(self, thing: str, way: list[str]) -> bool:
        """Whether each of thing, receptacle, location is reached in the next."""
        chain = [thing, *way]
        return all(self.reached(inner, outer) for inner, outer in pairwise(chain))

    def _put(self, agent: str, things: tuple[str, ...], relation: str) -> bool:
        thing, target, *way = things
        shut = has(target, "openable") and "open" not in self.states[target]
        nested = kind(target).movable and kind(thing).receptacle
        fits = has(target, "has-inside" if relation == "inside" else "has-ontop")
        if self.held[agent] != thing or not fits or nested or (relation == "inside" and shut):
            return False
        if not self._leads(target, way):
            return False
        self.held[agent], self.places[thing] = "", (relation, target)
        return True

    def _switch(self, name: str, things: tuple[str, ...], location: str) -> bool:
        thing = things[0]
        state = "toggled" if name.startswith("toggle") else "open"
        to_true = name.startswith(("open", "toggle-on"))
        able = has(thing, "toggleable" if state == "toggled" else "openable")
        near = thing == location or self.reached(thing, location)
        if not able or not near or (state in self.states[thing]) == to_true:
            return False
        (self.states[thing].add if to_true else self.states[thing].discard)(state)
        return True

    def _appliance(self, word: str, agent: str, thing: str, location: str) -> bool:
        relation, container = self.places.get(thing, ("", ""))
        where = category_of(location)
        works = container == location and "toggled" in self.states[location]
        if word == "soak":
            if not works or where != "sink" or not has(thing, "soakable"):
                return False
            self.states[thing].add("soaked")
            self.states[location].discard("toggled")
            return True
        if not works or self.held[agent] or "open" in self.states[location]:
            return False
        if word == "heat":
            if where not in HEATERS or not has(thing, "cookable"):
                return False
            self.states[location].discard("toggled")
        elif where != "refrigerator" or relation != "inside" or not has(thing, "freezable"):
            return False
        self.states[thing] ^= self.states[thing] & {"cooked", "frozen"}
        self.states[thing].add("cooked" if word == "heat" else "frozen")
        return True

    def _tool(self, word: str, agent: str, things: tuple[str, ...], location: str) -> bool:
        thing, tool = (things[0], things[1]) if len(things) == 3 else (location, things[0])
        if self.held[agent] != tool:
            return False
        if word == "slice":
            if category_of(tool) != "knife" or not has(thing, "sliceable"):
                return False
            if self.places.get(thing) != ("ontop", location):
                return False
            self.states[thing].add("sliced")
            return True
        wet = category_of(tool) not in CLOTHS or "soaked" in self.states[tool]
        near = thing == location or self.reached(thing, location)
        if word != "clean" or not wet or not near or category_of(tool) not in kind(thing).cleaned_by:
            return False
        self.states[thing] -= {"dusty", "stained"}
        return True

    def satisfies(self, goal: Formula, binding: Mapping[str, str] | None = None) -> bool:
        """Whether a goal holds: quantifiers by trying all things."""
        bound = dict(binding or {})
        match goal:
            case And(operands):
                return all(self.satisfies(each, bound) for each in operands)
            case Or(operands):
                return any(self.satisfies(each, bound) for each in operands)
            case Not(operand):
                return not self.satisfies(operand, bound)
            case Imply(antecedent, consequent):
                return not self.satisfies(antecedent, bound) or self.satisfies(consequent, bound)
            case Equals(left, right):
                return bound.get(left, left) == bound.get(right, right)
            case Forall(variables, body) | Exists(variables, body):
                first, *others = variables
                rest = type(goal)(tuple(others), body) if others else body
                tried = (
                    self.satisfies(rest, {**bound, first.name: name})
                    for name in self.states
                    if set(first.types) & set(names_of(kind(name)))
                )
                return all(tried) if isinstance(goal, Forall) else any(tried)
            case Atom(predicate, terms):
                words = [bound.get(term, term) for term in terms]
                if predicate in ("inside", "ontop"):
                    return self.places.get(words[0]) == (predicate, words[1])
                if predicate == "holding":
                    return self.held[words[0]] == words[1]
                return predicate in self.states[words[0]]
        raise AssertionError(f"no goal of HandMeThat has {goal}")


def kind(name: str) -> Category:
    return object_space().categories[category_of(name)]


def has(name: str, meta_property: str) -> bool:
    return meta_property in kind(name).properties


def names_of(category: Category) -> tuple[str, ...]:
    """All types of the things of a category."""
    above = ("object", "movable" if category.movable else "place", "item" if category.item else "")
    return (category.name, category.subclass, category.kind, *above)
