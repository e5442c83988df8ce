"""How the speakers name things: the mug, another slice of bread, it; and where a thing is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from chorewright.domains.phrases import Noun
from chorewright.problems.household.scene import Pose
from chorewright.rsa.household.layout import LegMoment, PlacedThing, RoomLayout
from chorewright.rsa.household.mentions import RoomSpeaker, lying, mention
from chorewright.rsa.household.relations import Box
from chorewright.rsa.teach.deeds import Deed

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
            other for other in dict.fromkeys((*moment.handled, *self.named)) if self._kind(other, world) == thing.kind
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

    def _kind(self, object_id: str, world: RoomLayout) -> str:
        return world.thing(object_id).kind

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
