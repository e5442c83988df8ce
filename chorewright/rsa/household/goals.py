"""A plan's goal in one sentence: what is to become of which things, and where they end.

A ``GoalMeaning`` says which rule of ``data/goals_grammar.json`` words it, and which kinds fill its slots. The plan adds
what people see in it: where the thing is taken from, what it is cut with, beside what it ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from chorewright.domains.phrases import Noun
from chorewright.files.english import article
from chorewright.problems.household.scene import Pose
from chorewright.rsa.household.layout import Leg, LegMoment, PlacedThing, RoomLayout
from chorewright.rsa.household.mentions import RoomSpeaker, mention

PLACED = 0.2
"""How much less a goal says of places than a step."""

_ONTO = {"in": "into", "on": "onto"}
"""Of where a thing is: of where it goes."""

FROM = 0.6
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
            "into receptacle": lambda: f"{self.speaker.style.say('into ' + near, {})} {plain}",
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
            "into receptacle": lambda: f"{speaker.style.say('into ' + near, {})} {full()}",
            "onto receptacle": lambda: f"{_ONTO.get(near, near)} {full()}",
            "inside" if near == "in" else "surface": " ",
        }

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
