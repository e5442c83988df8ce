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

from chorewright.domains.phrases import Noun
from chorewright.errors import UsageError
from chorewright.files.english import article, sentence
from chorewright.files.json_source import parse_json
from chorewright.problems.household.scene import Pose, Scene
from chorewright.rsa.household.deeds import in_room, say_leg
from chorewright.rsa.household.house_words import HouseWords
from chorewright.rsa.household.layout import Leg, LegMoment, PlacedThing, RoomLayout
from chorewright.rsa.household.mentions import RoomSpeaker, alike, mention
from chorewright.rsa.household.nouns import choose_names, load_looks, load_nouns
from chorewright.rsa.household.relations import landmarks, walls
from chorewright.rsa.words.grammar import Grammar, Style, parse_grammar
from chorewright.rsa.words.guesses import Lexicon, household_lexicon

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
        if scene.building is not None:
            house = HouseWords.of(scene.building, scene, speaker.names, [leg.pose for leg in legs])
            speaker = replace(speaker, house=house)
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


# A plan's goal in one sentence: what is to become of which things, and where they end.
#
# A ``GoalMeaning`` says which rule of ``data/goals_grammar.json`` words it, and which kinds fill its slots. The plan
# adds what people see in it: where the thing is taken from, what it is cut with, beside what it ends.


PLACED = 0.2
"""How much less a goal says of places than a step."""

_ONTO = {"in": "into", "on": "onto"}
"""Of where a thing is: of where it goes."""

FROM = 0.7
"""How often a goal may say where its thing is taken from."""


@dataclass(frozen=True, slots=True)
class GoalMeaning:
    """What a goal means to a speaker.

    Attributes:
        rule: the name of its rule without ``goal``: ``place``, ``heat sliced``.
        kinds: the kinds that fill its slots: object, receptacle, movable, lamp; ``whole`` is what a piece is of.
    """

    rule: str
    kinds: Mapping[str, str]


def say_goal(meaning: GoalMeaning, legs: Sequence[Leg], moments: Sequence[LegMoment], speaker: RoomSpeaker) -> str:
    """Return one wording of a goal, without capital and full stop.

    Args:
        meaning: the goal.
        legs: the plan's segments.
        moments: the moment before each.
        speaker: who speaks.
    """
    world = moments[0].world
    slots: dict[str, str | Callable[[], str]] = {}
    for name, kind in meaning.kinds.items():
        slots |= _slot(name, kind, world, speaker)
    noun = speaker.names.noun(meaning.kinds["object"])
    slots |= {
        "it": noun.pronoun,
        "are" if noun.only_plural else "is": noun.verb,
        "plural" if noun.only_plural else "single": " ",
        "plain": "" if " of " in noun.plural else " ",
        "pair": " " if [each.kind for each in world.things.values()].count(meaning.kinds["object"]) == 2 else "",
        **{name: flag for kind in meaning.kinds.values() for name, flag in speaker.tags(kind).items()},
    }
    seen = _Seen(meaning, legs, moments, speaker)
    slots |= seen.places() | seen.tools() | seen.origin() | seen.lamp()
    if "lamp" in meaning.kinds and not speaker.names.noun(meaning.kinds["lamp"]).word.endswith("light"):
        slots["beam"] = " "
    if "movable" in meaning.kinds:
        pronoun = speaker.names.noun(meaning.kinds["movable"]).pronoun
        traits = world.kinds[meaning.kinds["movable"]]
        slots |= {"in movable it": f"{traits.preposition} {pronoun}", "movable inside": " " if traits.inside else ""}
    return speaker.goals.say(f"goal {meaning.rule}", slots)


def _slot(name: str, kind: str, world: RoomLayout, speaker: RoomSpeaker) -> dict[str, str | Callable[[], str]]:
    """Return the slots of one of a goal's kinds."""
    noun = speaker.names.noun(kind)
    thing = world.thing(kind)
    traits = world.kinds[kind]
    return {
        name: noun.word,
        f"one {name}": noun.one,
        f"{name}s": noun.plural,
        f"the {name}": noun.the(),
        f"a {name}": lambda: indefinite(thing, noun, speaker),
        f"in {name}": lambda: f"{traits.preposition} {noun.the()}",
    }


def indefinite(thing: PlacedThing, noun: Noun, speaker: RoomSpeaker) -> str:
    """Return a thing's noun phrase with ``a``, perhaps with its looks."""
    if noun.one != noun.word or noun.only_plural:
        return noun.a()
    phrase = speaker.dress(thing)
    return f"{article(phrase)} {phrase}"


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a plan shows of its goal."""

    meaning: GoalMeaning
    legs: Sequence[Leg]
    moments: Sequence[LegMoment]
    speaker: RoomSpeaker

    def places(self) -> dict[str, str | Callable[[], str]]:
        """Return the slots of the receptacle in which the plan's last put ends."""
        kind = self.meaning.kinds.get("receptacle")
        if kind is None:
            return {}
        names = self.speaker.names
        same = names.table.same
        for leg, moment in zip(reversed(self.legs), reversed(self.moments), strict=True):
            receptacle = moment.world.thing(leg.receptacle_id) if leg.receptacle_id else None
            if leg.action != "PutObject" or receptacle is None:
                continue
            if same.get(receptacle.kind, receptacle.kind) == same.get(kind, kind):
                return self._end_slots(receptacle, moment.world, leg.pose)
        near = self.moments[0].world.kinds[kind].preposition
        plain = names.noun(kind).the()
        return {
            "the receptacle": plain,
            "into receptacle": lambda: f"{self.speaker.goals.say('into ' + near, self._flat(kind))} {plain}",
            "onto receptacle": f"{_ONTO.get(near, near)} {plain}",
        }

    def _end_slots(self, found: PlacedThing, world: RoomLayout, pose: Pose) -> dict[str, str | Callable[[], str]]:
        """Return the slots of the receptacle that the object ends in."""
        speaker = self.speaker
        near, room = found.traits.preposition, speaker.place_of(found, world)

        def full() -> str:
            return mention(world, speaker, found, pose, insist=PLACED, free=True)[0] + room

        def some() -> str:
            return indefinite(found, speaker.noun(found), speaker) + room

        return {
            "the receptacle": full,
            "a receptacle": some,
            "in receptacle": lambda: f"{near} {full()}",
            "in a receptacle": lambda: f"{near} {some()}",
            "into receptacle": lambda: f"{speaker.goals.say('into ' + near, self._flat(found.kind))} {full()}",
            "onto receptacle": lambda: f"{_ONTO.get(near, near)} {full()}",
            "inside": " " if found.traits.closable else "",
            "surface": " " if near == "on" else "",
            "several": " " if alike(world, speaker, found) else "",
        }

    def _flat(self, kind: str) -> dict[str, str]:
        """Return the slot that tells that things lie on a kind; they hang on a hook."""
        return {"flat": "" if "hook" in self.speaker.tags(kind) else " "}

    def lamp(self) -> dict[str, str | Callable[[], str]]:
        """Return the slots of the lamp that is turned on, if it is to be said in which room it is."""
        kind = self.meaning.kinds.get("lamp", "")
        for leg, moment in zip(reversed(self.legs), reversed(self.moments), strict=True):
            lamp = moment.world.thing(leg.object_id)
            room = self.speaker.place_of(lamp, moment.world)
            if leg.action == "ToggleObject" and lamp.kind == kind and room:
                noun = self.speaker.names.noun(kind)
                return {"the lamp": f"{noun.the()}{room}", "a lamp": f"{noun.a()}{room}"}
        return {}

    def tools(self) -> dict[str, str | Callable[[], str]]:
        """Return the slots of what cuts, rinses, heats and cools."""
        found: dict[str, str | Callable[[], str]] = {}
        roles = {"CleanObject": "the sink", "HeatObject": "the heater", "CoolObject": "the cooler"}
        for leg, moment in zip(self.legs, self.moments, strict=True):
            if leg.action in roles and leg.receptacle_id:
                found[roles[leg.action]] = self.speaker.noun(moment.world.thing(leg.receptacle_id)).the()
            elif leg.action == "SliceObject" and moment.world.holding:
                tool = moment.world.thing(moment.world.holding)
                found["a tool"] = self.speaker.noun(tool).a()
        return found

    def origin(self) -> dict[str, str | Callable[[], str]]:
        """Return the slot of where the object is at first, if that is another kind of place than where it ends."""
        if not self.speaker.style.chance(FROM):
            return {}
        kinds = {self.meaning.kinds["object"], self.meaning.kinds.get("whole", "")}
        world = self.moments[0].world
        origins = {
            world.things[leg.object_id].parent
            for leg in self.legs
            if leg.action in ("PickupObject", "SliceObject")
            and leg.object_id in world.things
            and world.things[leg.object_id].kind in kinds
        }
        if len(origins) != 1 or not origins <= set(world.things):
            return {}
        origin = world.things[origins.pop()]
        words = self.speaker.names.lexicon.words(origin.kind)
        if words.ground or origin.traits.item or self.speaker.noun(origin).word == self._end():
            return {}
        return {"from": lambda: f"from {self.speaker.the(origin)}"}

    def _end(self) -> str:
        kind = self.meaning.kinds.get("receptacle", self.meaning.kinds.get("lamp", ""))
        return self.speaker.names.noun(kind).word
