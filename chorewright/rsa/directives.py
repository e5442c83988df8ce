"""Template directives: a plan's goal and its segments in English, in the words of several annotators.

A ``Leg`` has what the words need of a segment. The benchmark makes one for each segment, with object ids instead
of the planning problem's names::

    legs = [Leg("GotoLocation", pose=start, actions=("RotateLeft", "MoveAhead", ...)),
            Leg("PickupObject", mug_id, counter_id, pose, ("PickupObject",)), ..., Leg("NoOp")]
    for annotation in directives(goal.sentences, legs, scene, rng):
        annotation.goal, annotation.steps        # one step per leg, the end left out

The register is that of ALFRED's annotators (Shridhar et al. 2020, section 3.2): instructions to a robot, one
sentence a segment. Every sentence begins with a capital and ends with a full stop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from chorewright.errors import UsageError
from chorewright.problems.thor.scene import Pose, Scene
from chorewright.rsa.english.leg_phrases import Leg, Moment, say_leg
from chorewright.rsa.english.phrases import Lexicon, household_lexicon, new_voice, sentence
from chorewright.rsa.english.place_phrases import Layout

__all__ = ["END", "Annotation", "Leg", "directives"]

END = ("NoOp", "End")
"""The names of the segment that ends a plan, of which nothing is said."""

_TRIES = 16
"""How many wordings are tried before one is used twice in an episode."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """One annotator's words: the goal, and a sentence for every leg but the end."""

    goal: str
    steps: tuple[str, ...]


def directives(
    goal_sentences: Sequence[str],
    legs: Sequence[Leg],
    scene: Scene,
    rng: np.random.Generator,
    lexicon: Lexicon | None = None,
    annotations: int = 3,
) -> tuple[Annotation, ...]:
    """Word a plan in several ways.

    Args:
        goal_sentences: wordings of the goal; each annotation takes another one as long as there are enough.
        legs: the plan's segments in order.
        scene: the scene at the start.
        rng: the only source of chance; the same generator state gives the same words.
        lexicon: words and patterns; the household's if not given.
        annotations: how many annotators speak.

    Raises:
        UsageError: there is no goal sentence, or a leg's action is unknown.
    """
    if not goal_sentences:
        raise UsageError("directives need at least one goal sentence")
    lexicon = (lexicon or household_lexicon()).with_kinds(scene.kinds)
    moments = follow(legs, scene)
    goals = [sentence(goal_sentences[int(index)]) for index in rng.permutation(len(goal_sentences))]
    details = [int(detail) for detail in rng.permutation(3)]
    used: set[str] = set()
    found = []
    for index in range(annotations):
        voice = new_voice(lexicon, details[index % 3], scene.room_kind, rng)
        steps = []
        for leg, following, moment in zip(legs, (*legs[1:], Leg(END[0])), moments, strict=True):
            if leg.action not in END:
                say = partial(say_leg, leg, following, moment, voice, rng)
                steps.append(_fresh(say, used))
        found.append(Annotation(goals[index % len(goals)], tuple(steps)))
    return tuple(found)


def _fresh(say: Callable[[], str], used: set[str]) -> str:
    """Return a sentence that was not used yet, if one turns up."""
    said = ""
    for _ in range(_TRIES):
        said = sentence(say())
        if said not in used:
            break
    used.add(said)
    return said


def follow(legs: Sequence[Leg], scene: Scene) -> list[Moment]:
    """Return the moment before each leg."""
    world = Layout.of(scene)
    seen: set[tuple[str, Pose]] = set()
    handled: list[str] = []
    moments = []
    states = {"CleanObject": "clean", "HeatObject": "hot", "CoolObject": "cold"}
    for leg in legs:
        moments.append(Moment(world, frozenset(seen), tuple(handled)))
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
