"""Small random scenes for the tests of meanings, and all that can be said of them, the slow way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import exp, log

import numpy as np

from chorewright.rsa.handmethat.descriptions import Description, Item, Value, quests
from chorewright.rsa.handmethat.meanings import Context, Grounding, Meaning, Quest

KINDS = {
    "food": {"fruit": ("apple", "pear"), "drink": ("milk",)},
    "receptacle": {"box": ("box",), "bowl": ("cup", "bowl")},
    "thing": {"toy": ("cube", "ball")},
}
PLACES = {"table_0": "ontop", "sink_0": "inside", "shelf_0": "ontop"}
STATES = {"food": ("frozen",), "receptacle": ("dusty",), "thing": ("dusty",), "location": ("dusty",)}


def random_context(rng: np.random.Generator, things: int) -> Context:
    """A few locations, and things in or on them, some in receptacles."""
    items = [
        Item(name, {"class": "location", "type": name[:-2], **_states("location", rng)}, False, relation)
        for name, relation in PLACES.items()
    ]
    relations = dict(PLACES)
    for number in range(things):
        kind = str(rng.choice(list(KINDS)))
        subclass = str(rng.choice(list(KINDS[kind])))
        name = f"{rng.choice(KINDS[kind][subclass])}_{number}"
        container = str(rng.choice(list(PLACES if kind == "receptacle" else relations)))
        features: dict[str, Value] = {"class": kind, "subclass": subclass, "type": name.split("_")[0]}
        features[relations[container]] = container
        if kind == "receptacle":
            features["size"] = str(rng.choice(["large", "small"]))
        features.update(_states(kind, rng))
        relation = "inside" if kind == "receptacle" else ""
        if relation:
            relations[name] = relation
        items.append(Item(name, features, True, relation))
    held = str(rng.choice(["", "", items[-1].name]))
    return Context(tuple(items), held)


def _states(kind: str, rng: np.random.Generator) -> dict[str, Value]:
    return {state: bool(rng.integers(2)) for state in STATES[kind]}


def random_gains(context: Context, quest: Quest, rng: np.random.Generator, most: int) -> dict[Grounding, float]:
    """A few grounded subgoals that are possible, with rewards from -1 to 3."""
    possible = [g for argument in context.arguments(quest) for g in possible_groundings(context, quest, argument)]
    if not possible:
        return {}
    chosen = rng.choice(len(possible), size=min(most, len(possible)), replace=False)
    return {possible[int(number)]: float(rng.integers(-1, 4)) for number in sorted(chosen)}


def possible_groundings(context: Context, quest: Quest, argument: str | None) -> Iterator[Grounding]:
    """What can be asked and is not so already, spelt out."""
    for item in context.items:
        if quest is Quest.BRING_ME:
            good = item.movable and item.name != context.held
        elif quest is Quest.MOVE_TO:
            place = next(each for each in context.items if each.name == argument)
            nested = place.movable and bool(item.relation)
            there = item.features.get(place.relation) == place.name
            good = item.movable and item is not place and not nested and not there
        else:
            wanted = quests().verbs[str(argument)]
            good = any(state in item.features and item.features[state] != wanted[state] for state in wanted)
        if good:
            yield item.name, argument


def slow_groundings(context: Context, meaning: Meaning) -> set[Grounding]:
    """A(m) by trying everything."""
    arguments = context.arguments(meaning.quest)
    if not (meaning.quest is Quest.MOVE_TO and meaning.argument is None):
        arguments = (meaning.argument,)
    items = {item.name: item for item in context.items}
    return {
        (name, argument)
        for each in arguments
        for name, argument in possible_groundings(context, meaning.quest, each)
        if all(items[name].features.get(key) == value for key, value in meaning.description)
    }


def all_descriptions(context: Context) -> list[Description]:
    """All combinations of values that fit anything, at most one of class, subclass and type, one place."""
    values: dict[str, list[Value]] = {name: [] for name in quests().specifiers}
    for item in context.items:
        for name, value in item.features.items():
            if value not in values[name]:
                values[name].append(value)
    options = [[None, *[(name, value) for name in group for value in values[name]]] for group in quests().groups]
    every = [tuple(part for part in each if part is not None) for each in product(*options)]
    features = [set(item.features.items()) for item in context.items]
    return [each for each in every if any(set(each) <= known for known in features)]


def slow_cost(meaning: Meaning) -> int:
    """Appendix A.4: 1, 2, 3 for class, subclass and type, 1 for all else."""
    category = {"class": 1, "subclass": 2, "type": 3}
    named = meaning.quest is Quest.MOVE_TO and meaning.argument is not None
    return sum(category.get(name, 1) for name, _ in meaning.description) + named


def slow_complexity(meaning: Meaning) -> int:
    """Section 3.2: the number of specifiers; the target of a move is one."""
    return len([*meaning.description]) + (meaning.quest is Quest.MOVE_TO and meaning.argument is not None)


def slow_listener(
    meanings: list[Meaning],
    prior: Mapping[Meaning, float],
    said: list[Meaning],
    literal: Mapping[tuple[Meaning, Meaning], bool],
    depth: int,
) -> tuple[dict[tuple[Meaning, Meaning], float], dict[tuple[Meaning, Meaning], float]]:
    """Speaker and listener of section 3.2, one probability after the other; keys are (m, u)."""
    listener = {}
    for u in said:
        total = sum(prior[m] for m in meanings if literal[m, u])
        for m in meanings:
            listener[m, u] = prior[m] / total if literal[m, u] else 0.0
    speaker: dict[tuple[Meaning, Meaning], float] = {}
    for _ in range(depth):
        for m in meanings:
            scores = {u: exp(2 * (log(listener[m, u]) - slow_cost(u))) for u in said if listener[m, u] > 0}
            total = sum(scores.values())
            speaker.update({(m, u): scores.get(u, 0.0) / total for u in said})
        for u in said:
            total = sum(speaker[m, u] * prior[m] for m in meanings)
            listener.update({(m, u): speaker[m, u] * prior[m] / total for m in meanings})
    return speaker, listener
