"""Whether the start of an episode grants what a sentence takes for granted."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from chorewright.domains.pddl.syntax import Formula
from chorewright.domains.rewriting import mentioned_predicates
from chorewright.generator.household.starts import in_state
from chorewright.problems.household.containment import ancestors
from chorewright.problems.household.scene import Scene, SceneObject
from chorewright.rsa.household.presuppositions import Presupposition, presuppositions


def not_granted(sentence: str, goal: Formula, scene: Scene) -> tuple[str, ...]:
    """Return what a sentence takes for granted and the start does not hold, in English; nothing if it holds all.

    Args:
        sentence: It asks for the goal.
        goal: The filled goal.
        scene: The start.
    """
    taken = presuppositions(sentence, scene.kinds.vocabulary, mentioned_predicates(goal))
    return tuple(each.text for each in taken if not _granted(each, scene))


def granted(sentences: Sequence[str], goal: Formula, scene: Scene) -> tuple[str, ...]:
    """Return the sentences of which the start grants all that they take for granted."""
    return tuple(each for each in sentences if not not_granted(each, goal, scene))


def _granted(taken: Presupposition, scene: Scene) -> bool:
    things = [thing for thing in scene.objects if thing.kind in taken.kinds and not thing.consumed]
    if taken.what == "exists":
        pieces = sum(thing.traits.pieces for thing in scene.objects if thing.traits.piece in taken.kinds)
        return len(things) + pieces >= taken.number
    if taken.what == "state":
        return any(in_state(taken.state, thing) == taken.wanted for thing in things)
    # A thing in a cabinet is not on the floor on which the cabinet stands.
    parents = {thing.object_id: thing.parents for thing in scene.objects if thing.traits.item}
    kinds = {thing.object_id: thing.kind for thing in scene.objects}
    there = [_lies_in(thing, taken.places, parents, kinds) for thing in things]
    if taken.what == "in":
        return any(there)
    pieces = sum(thing.traits.pieces for thing in scene.objects if thing.traits.piece in taken.kinds)
    return not all(there) or pieces > 0


def _lies_in(
    thing: SceneObject, places: Collection[str], parents: dict[str, tuple[str, ...]], kinds: dict[str, str]
) -> bool:
    return any(kinds.get(each) in places for each in ancestors(thing.object_id, parents))
