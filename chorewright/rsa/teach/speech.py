"""How the speakers speak: how they name things, and the lines of the data, in the style of each."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from chorewright.domains.phrases import Noun
from chorewright.files.english import capital, tidy
from chorewright.problems.household.scene import Box, Pose
from chorewright.rsa.household.layout import LegMoment, PlacedThing, RoomLayout
from chorewright.rsa.household.mentions import RoomSpeaker, lying, mention
from chorewright.rsa.teach.deeds import GET, LAY, Deed, SpokenTurn, Talk
from chorewright.rsa.teach.sentences import DialogueSentences, Saying
from chorewright.rsa.words.grammar import Style
from chorewright.rsa.words.guesses import pick

MOST_TRIES = 6
"""Wordings that are tried before one is said twice in a session."""

TURNED = 0.35
"""How often the direction of a place is known to be said besides."""


PRAISE = "FeedbackPositive"

_START = re.compile(r"(?<=[.!?] )[a-z]")
"""The first letter of a sentence that follows another."""


def praises(sayings: Sequence[Saying]) -> bool:
    """Whether something that is said is praise."""
    return any(each.act == PRAISE for each in sayings)


@dataclass(slots=True)
class Speech:
    """What both agents say in a session.

    Attributes:
        data: The words.
        talk: What is talked about.
        style: The Commander's style.
        factor: How talkative the session is.
        casual: Whether the Commander, and the Follower, type in haste.
        rng: The only source of chance.
        refs: How things are named.
        moments: The moment before each leg.
        said: What was said.
        known: The objects whose place was said.
        heard: All wordings that were used.
        speaker: How the words are chosen.
    """

    data: DialogueSentences
    talk: Talk
    style: str
    factor: float
    casual: tuple[bool, bool]
    rng: np.random.Generator
    refs: References
    moments: Sequence[LegMoment]
    said: list[SpokenTurn] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    heard: set[str] = field(default_factory=set)
    speaker: Style = field(init=False)

    def __post_init__(self) -> None:
        self.speaker = Style(self.data.grammar, self.rng, habit=0)

    def chance(self, what: str) -> bool:
        chance = self.data.chances[what][self.style]
        return bool(self.rng.random() < (chance if chance == 1.0 else min(0.97, chance * self.factor)))

    def say(
        self,
        leg: int,
        speaker: int,
        line: str,
        slots: Mapping[str, str] | None = None,
        level: str = "utterance",
        about: str = "",
        trouble: int = -1,
        also: tuple[Saying, ...] = (),
    ) -> None:
        """Say a line of the data, in words that were not used in the session yet if there are any.

        ``also`` is said after it.
        """
        for _ in range(MOST_TRIES):
            sayings = self.sayings(line, slots or {}) + also
            key = " ".join(each.text for each in sayings).lower()
            if key not in self.heard and not (praises(sayings) and self.is_praised(leg, speaker)):
                break
        self.heard.add(key)
        last = len(sayings) - 1
        styled: list[Saying] = []
        for place, each in enumerate(sayings):
            goes_on = bool(styled) and styled[-1].text.endswith(",")
            styled.append(replace(each, text=self.styled(each.text, speaker, place == last, goes_on)))
        self.said.append(SpokenTurn(leg, speaker, tuple(styled), level, about, trouble))

    def is_praised(self, leg: int, speaker: int) -> bool:
        """Whether a speaker has praised since the last leg."""
        return any(turn.leg == leg and turn.speaker == speaker and praises(turn.sayings) for turn in self.said[-3:])

    def styled(self, text: str, speaker: int, last: bool, goes_on: bool = False) -> str:
        """Return words with capitals where sentences start, or as one types in haste.

        ``last`` tells that nothing of the utterance follows, ``goes_on`` that the words go on with a sentence.
        """
        if not self.casual[speaker]:
            text = _START.sub(lambda found: found[0].upper(), text)
            return text if goes_on else capital(text)
        plain = text if text.startswith(("I ", "I'", "CD", "TV")) else text[:1].lower() + text[1:]
        return plain.removesuffix(".") if last else plain

    def sayings(self, line: str, slots: Mapping[str, str]) -> tuple[Saying, ...]:
        """Return a line of the data in its parts."""
        return self.data.sayings(self.speaker.say(line, slots))

    def phrase(self, text: str, slots: Mapping[str, str] | None = None) -> str:
        return tidy(self.speaker.fill(text, slots or {}))

    def phrase_of(self, line: str, slots: Mapping[str, str]) -> str:
        """Return a line of the data that is part of a sentence, or nothing if its slots are not given."""
        return self.sayings(line, slots)[0].text if self.data.grammar.can_say(line, slots) else ""

    def knows(self, object_id: str, leg: int) -> bool:
        """Whether the Follower knows before a leg where a thing is: it was told, or it has handled it.

        Of a piece it knows where it cut it.
        """
        whole = "|".join(object_id.split("|")[:4])
        touched = (name for each in self.talk.legs[:leg] for name in (each.object_id, each.receptacle_id))
        return object_id in self.known or any(name in (object_id, whole) for name in touched)

    def where(self, object_id: str, leg: int) -> Slots:
        """Return the phrases for the place of a thing, as ``spot``; empty if it is not known."""
        slots = self.refs.where(object_id, self.moments[leg], self.talk.legs[leg].pose)
        spot = self.phrase_of("spot", slots)
        found = {**slots, "spot": spot}
        if "side" in slots and self.rng.random() < TURNED:
            found["direction"] = self.phrase_of(f"side {slots['side']}", {})
        return found

    def deed(self, table: Mapping[str, Sequence[str]], deed: Deed, leg: int, placed: bool = False) -> str:
        """Return a deed in the words of a table; ``placed``: also where its object is."""
        moment, pose = self.moments[deed.legs[0]], self.talk.legs[deed.legs[0]].pose
        slots = self.refs.deed_slots(deed, moment, pose)
        if placed and deed.key == GET and not self.knows(deed.object_id, leg):
            where = self.where(deed.object_id, leg)
            if where["spot"]:
                self.known.add(deed.object_id)
                slots |= where
        world = moment.world
        concerned = (deed.tool_id, deed.receptacle_id, "" if deed.key == LAY else deed.object_id)
        kinds = [world.thing(each).kind for each in concerned if each]
        for key in (*(f"{deed.key} {kind}" for kind in kinds), deed.key):
            usable = [line for line in table.get(key, ()) if self.data.grammar.can_fill(line, slots)]
            if slots.get("spot"):
                usable = [line for line in usable if "{spot}" in line] or usable
            if usable:
                text = self.phrase(pick(usable, self.rng), slots)
                self.refs.name_vessel(deed.receptacle_id, moment)
                self.refs.speak_of(deed.object_id)
                return text
        return f"{deed.key} {slots['item']}"


# How the speakers name things: the mug, another slice of bread, it; and where a thing is.


DETAILED = 0.45
"""How often a receptacle is described although its name would do."""

BESIDE = 0.55
"""How often it is said what a thing lies next to."""

Slots = dict[str, str]


@dataclass(slots=True)
class References:
    """Names things for one session.

    ``speaker`` has the nouns, and says places as ALFRED's annotators do. ``named`` are the objects that were spoken of
    or handled: of them one says *the*. ``topic`` is the object of the last sentence, which *it* would mean.
    """

    speaker: RoomSpeaker
    named: dict[str, None] = field(default_factory=dict)
    topic: str = ""

    def noun(self, thing: PlacedThing) -> Noun:
        """Return the noun of a thing's kind."""
        return self.speaker.names.noun(thing.kind)

    def name(self, object_id: str, moment: LegMoment) -> tuple[str, bool]:
        """Return the noun phrase of a thing, and whether it is definite."""
        world = moment.world
        thing = world.thing(object_id)
        noun = self.noun(thing)
        if object_id == world.holding or object_id in moment.handled or object_id in self.named:
            return noun.the(), True
        alike = [other for other in self._alike(world, thing) if other != object_id]
        before = [
            other for other in dict.fromkeys((*moment.handled, *self.named)) if world.thing(other).kind == thing.kind
        ]
        left = [other for other in alike if other not in before]
        piece = self.speaker.names.lexicon.words(thing.kind).piece
        if not before or "sharp" in thing.traits.roles:
            return (noun.a(), False) if piece or left else (noun.the(), True)
        if left or piece:
            return f"another {noun.one}", False
        return noun.the("other" if len(before) == 1 else "last"), True

    def _alike(self, world: RoomLayout, thing: PlacedThing) -> list[str]:
        word = self.noun(thing).word
        return [name for name, other in world.things.items() if self.noun(other).word == word]

    def speak_of(self, object_id: str) -> None:
        """Note that a sentence was about a thing, so that the next may say *it*."""
        self.named[object_id] = None
        self.topic = object_id

    def mention(self, object_id: str) -> None:
        """Note that a thing was spoken of by the way: it is known, and *it* means nothing."""
        self.named[object_id] = None
        self.topic = ""

    def name_vessel(self, object_id: str, moment: LegMoment) -> None:
        """Note that something was put into a thing, if it is one that can be carried: it is known from then on."""
        if object_id and moment.world.thing(object_id).traits.item:
            self.named[object_id] = None

    def slots(self, object_id: str, moment: LegMoment, pose: Pose, receptacle_id: str = "", tool_id: str = "") -> Slots:
        """Return the phrases for a thing, where it is or goes, and what is used.

        ``item``, ``it`` (its pronoun, or its name where that would mean something else), ``they`` (subject),
        ``is``, ``that`` (that or those), ``a`` (indefinite), ``food`` (``item``, if nothing is put into it);
        ``receptacle``, ``into``, ``from``, ``in it``; ``tool``; ``place``: where it lies.
        """
        world = moment.world
        thing = world.thing(object_id)
        noun = self.noun(thing)
        phrase, definite = self.name(object_id, moment)
        found: Slots = {
            "item": phrase,
            "the item": phrase if definite else "",
            "some item": "" if definite else phrase,
            "it": noun.pronoun if self.topic == object_id else phrase,
            "them": noun.pronoun,
            "they": "they" if noun.only_plural else "it",
            "is": noun.verb,
            "that": "those" if noun.only_plural else "that",
            "a": noun.a(),
            "food": "" if thing.traits.receptacle else phrase,
            "noun": noun.word,
            "plural": noun.plural,
        }
        parent = receptacle_id or thing.parent
        if parent and not self.speaker.names.lexicon.words(world.thing(parent).kind).ground:
            receptacle = world.thing(parent)
            if not receptacle.traits.item:  # that a toaster stands on the counter need not be said
                receptacle = replace(receptacle, parent="")
            words, _ = mention(world, self.speaker, receptacle, pose, None if receptacle_id else thing)
            found |= {
                "receptacle": words,
                "bare": self.noun(receptacle).the(),
                "into": f"{receptacle.traits.preposition} {words}",
                "from": f"from {words}",
                "inside": words if receptacle.traits.closable else "",
            }
        elif parent or thing.still:
            found["floor"] = "floor"
        if tool_id:
            tool = self._appliance(world, tool_id, receptacle_id)
            found["tool"] = self.noun(tool).the()
        return found

    def _appliance(self, world: RoomLayout, tool_id: str, receptacle_id: str) -> PlacedThing:
        """Return what a tool is called by: a knob by the stove that it heats, which holds the receptacle."""
        tool = world.thing(tool_id)
        if tool.traits.item or not receptacle_id or "rinses" in tool.traits.roles:
            return tool
        place = world.thing(receptacle_id)
        return world.things.get(place.parent, tool) if place.traits.item else place

    def deed_slots(self, deed: Deed, moment: LegMoment, pose: Pose) -> Slots:
        """Return the phrases for a deed."""
        return self.slots(deed.object_id, moment, pose, deed.receptacle_id, deed.tool_id)

    def where(self, object_id: str, moment: LegMoment, pose: Pose) -> Slots:
        """Return the phrases for a thing and its place; ``beside``: what it lies next to."""
        found = self.slots(object_id, moment, pose)
        thing = moment.world.thing(object_id)
        relation = lying(moment.world, self.speaker, thing, pose) if thing.still else None
        if relation is not None:
            anchors = (self.noun(moment.world.thing(each.members[0])).word for each in relation.anchors)
            said = any(anchor in found.get("into", "") for anchor in anchors)
            beside = not said and self.speaker.style.chance(BESIDE)
            found["beside"] = self.speaker.where(relation, moment.world) if beside else ""
        if thing.still:
            found["side"] = side(pose, thing)
        return found


def side(pose: Pose, thing: PlacedThing) -> str:
    """Return where a thing is as seen from a pose: left, right, ahead or behind."""
    (right, _), (forward, _) = Box.at(thing.centre).seen(pose)
    if abs(right) > abs(forward):
        return "right" if right > 0 else "left"
    return "ahead" if forward >= 0 else "behind"


def others_of(moment: LegMoment, thing: PlacedThing, handled: Sequence[str]) -> list[PlacedThing]:
    """Return the other things of a kind that lie elsewhere, each in a receptacle of another kind."""
    here = moment.world.things.get(thing.parent)
    found = []
    for other in moment.world.things.values():
        if other.kind != thing.kind or other.object_id in (thing.object_id, *handled) or not other.still:
            continue
        there = moment.world.things.get(other.parent)
        if here is not None and there is not None and there.kind != here.kind:
            found.append(other)
    return found
