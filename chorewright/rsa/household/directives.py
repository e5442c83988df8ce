"""Directives: a plan's goal and its segments in English, in the words of several annotators.

A ``Leg`` has what the words need of a segment. The benchmark makes one for each segment, with object ids instead
of the planning problem's names::

    legs = [Leg("GotoLocation", pose=start, actions=("RotateLeft", "MoveAhead", ...)),
            Leg("PickupObject", mug_id, counter_id, pose, ("PickupObject",)), ..., Leg("NoOp")]
    for annotation in directives(Meaning("place", {"object": "Mug", "receptacle": "Desk"}), legs, scene, rng):
        annotation.goal, annotation.steps        # one step per leg, the end left out

The register is that of ALFRED's annotators (Shridhar et al. 2020, section 3.2): instructions to a robot, one
sentence a segment or two. Every sentence begins with a capital and ends with a full stop. The words are data:
``directives_grammar.json``, ``goals_grammar.json``, ``nouns.json`` and ``looks.json``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from importlib import resources

import numpy as np

from chorewright.errors import UsageError
from chorewright.files.english import sentence
from chorewright.files.json_source import parse_json
from chorewright.problems.household.scene import Pose, Scene
from chorewright.rsa.household.deeds import in_room, say_leg
from chorewright.rsa.household.goals import GoalMeaning, say_goal
from chorewright.rsa.household.house_words import HouseWords
from chorewright.rsa.household.layout import Leg, LegMoment, RoomLayout
from chorewright.rsa.household.mentions import RoomSpeaker
from chorewright.rsa.household.nouns import choose_names, load_looks, load_nouns
from chorewright.rsa.household.relations import landmarks, walls
from chorewright.rsa.words.grammar import Grammar, Style, parse_grammar
from chorewright.rsa.words.lexicon import Lexicon, household_lexicon

__all__ = ["END", "Annotation", "GoalMeaning", "Leg", "directives", "follow"]

END = ("NoOp", "End")
"""The names of the segment that ends a plan, of which nothing is said."""

_TRIES = 16
"""How many wordings are tried before one is used twice in an episode."""

_LONGEST = 42
"""Words beyond which a sentence is tried again."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """One annotator's words: the goal, and a sentence for every leg but the end."""

    goal: str
    steps: tuple[str, ...]


def directives(
    goal: GoalMeaning | Sequence[str],
    legs: Sequence[Leg],
    scene: Scene,
    rng: np.random.Generator,
    lexicon: Lexicon | None = None,
    annotations: int = 3,
    nouns: Mapping[str, str] | None = None,
) -> tuple[Annotation, ...]:
    """Word a plan in several ways.

    Args:
        goal: what the goal means; or wordings of it, of which each annotator takes another one as long as there
            are enough.
        legs: the plan's segments in order.
        scene: the scene at the start.
        rng: the only source of chance; the same generator state gives the same words.
        lexicon: words of kinds that ``nouns.json`` does not have; the household's if not given.
        annotations: how many annotators speak.
        nouns: nouns that all annotators use, by kind, as the wordings of the goal have them.

    Raises:
        UsageError: there is no goal sentence, or a leg's action is unknown.
    """
    if not isinstance(goal, GoalMeaning) and not goal:
        raise UsageError("directives need at least one goal sentence")
    lexicon = (lexicon or household_lexicon()).with_kinds(scene.kinds.vocabulary)
    moments = follow(legs, scene)
    order = [] if isinstance(goal, GoalMeaning) else [int(index) for index in rng.permutation(len(goal))]
    details = [int(detail) for detail in rng.permutation(3)]
    used: set[str] = set()
    found = []
    for index in range(annotations):
        speaker = new_speaker(
            moments[0].world if moments else RoomLayout.of(scene), scene, lexicon, details[index % 3], rng, nouns
        )
        speaker = replace(speaker, house=HouseWords.of(scene, speaker.names, [leg.pose for leg in legs]))
        if isinstance(goal, GoalMeaning):
            local = [in_room(leg.pose, moment, speaker) for leg, moment in zip(legs, moments, strict=True)]
            ending = local[-1][1] if local else speaker
            spoken = _fresh(partial(say_goal, goal, legs, [moment for moment, _ in local], ending), used)
        else:
            spoken = sentence(goal[order[index % len(order)]])
        steps = []
        for leg, following, moment in zip(legs, (*legs[1:], Leg(END[0])), moments, strict=True):
            if leg.action not in END:
                steps.append(_fresh(partial(say_leg, leg, following, moment, speaker), used))
        found.append(Annotation(spoken, tuple(steps)))
    return tuple(found)


def new_speaker(
    world: RoomLayout,
    scene: Scene,
    lexicon: Lexicon,
    detail: int,
    rng: np.random.Generator,
    nouns: Mapping[str, str] | None = None,
) -> RoomSpeaker:
    """Return an annotator of a scene, whose habits are drawn from ``rng``.

    Args:
        world: the scene's things.
        scene: the room.
        lexicon: words of kinds that ``nouns.json`` does not have.
        detail: 0 brief, 1 plain, 2 full.
        rng: the only source of chance.
        nouns: nouns that are given, by kind.
    """
    kinds = tuple(dict.fromkeys(thing.kind for thing in world.things.values()))
    pieces = tuple(dict.fromkeys(scene.kinds[kind].piece or "" for kind in kinds))
    kinds += tuple(piece for piece in pieces if piece and piece not in kinds)
    names = choose_names(load_nouns(), lexicon, kinds, scene.room_kind, rng, nouns)
    looks = load_looks()
    return RoomSpeaker(
        Style(load_grammar("directives"), rng),
        Style(load_grammar("goals"), rng),
        names,
        looks.rooms.get(scene.name, {}),
        looks.order,
        walls(scene),
        landmarks(world, names),
        colourful=(0.08, 0.25, 0.45)[detail] * float(rng.uniform(0.4, 1.6)),
        placing=(0.12, 0.35, 0.6)[detail],
        winding=(1, 1, 2)[detail],
    )


@lru_cache(maxsize=2)
def load_grammar(name: str) -> Grammar:
    """Return a shipped grammar: ``directives`` or ``goals``."""
    path = resources.files("chorewright.rsa") / "data" / f"{name}_grammar.json"
    return parse_grammar(parse_json(path.read_text("utf-8"), str(path)))


def _fresh(say: Callable[[], str], used: set[str]) -> str:
    """Return a sentence that was not used yet and is not too long, if one turns up."""
    said = ""
    for _ in range(_TRIES):
        said = sentence(say())
        if said not in used and len(said.split()) <= _LONGEST:
            break
    used.add(said)
    return said


def follow(legs: Sequence[Leg], scene: Scene) -> list[LegMoment]:
    """Return the moment before each leg."""
    world = RoomLayout.of(scene)
    seen: set[tuple[str, Pose]] = set()
    handled: list[str] = []
    moments = []
    states = {"CleanObject": "clean", "HeatObject": "hot", "CoolObject": "cold"}
    for leg in legs:
        moments.append(LegMoment(world, frozenset(seen), tuple(handled)))
        if leg.action == "PickupObject":
            world = world.take(leg.object_id)
            handled.append(leg.object_id)
        elif leg.action == "PutObject":
            world = world.put(leg.object_id, leg.receptacle_id)
        elif leg.action in states:
            world = world.become(leg.object_id, states[leg.action])
        if leg.action != "GotoLocation":
            seen.update((dealt, leg.pose) for dealt in (leg.receptacle_id, leg.object_id) if dealt)
    return moments
