"""Noun phrases: things of a room as one speaker mentions them, so that a hearer finds them.

A ``RoomSpeaker`` is one annotator in one scene: a style of the grammar, its nouns, and how much it says of looks and
places. ``mention`` is the phrase of furniture and fixtures, ``mention_item`` that of a thing to be picked up or cut.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chorewright.domains.phrases import Noun
from chorewright.files.english import say_list
from chorewright.problems.household.scene import Box, Pose
from chorewright.rsa.household import relations
from chorewright.rsa.household.house_words import HouseWords
from chorewright.rsa.household.layout import PlacedThing, RoomLayout
from chorewright.rsa.household.nouns import ThingNames
from chorewright.rsa.words.grammar import Style

RELATIONS = 3
"""How many of the nearest relations of a thing a speaker chooses from."""

TWO = 0.35
"""How much less often people say that a thing is between two others than where it is to one."""

WALL = 0.25
"""How often a thing at a wall may be said to be there."""


@dataclass(frozen=True, slots=True)
class RoomSpeaker:
    """One annotator in one scene.

    Attributes:
        style: the grammar of steps and the speaker's habits; its generator is the only source of chance.
        goals: the grammar of goals and the habits in it.
        names: the nouns.
        looks: adjectives of the room's things by kind, a colour first.
        order: where a look stands among several; one that is not listed has 1.
        rooms: the boxes that the room's walls may have.
        marks: landmarks that the speaker goes by.
        colourful: how often a look is mentioned, from 0 to 1.
        placing: how often a place is mentioned although the noun would do.
        winding: how many runs of a path are told.
        house: the rooms of a house; None where there is only one room.
    """

    style: Style
    goals: Style
    names: ThingNames
    looks: Mapping[str, Sequence[str]]
    order: Mapping[str, float]
    rooms: Sequence[Box]
    marks: tuple[relations.Anchor, ...]
    colourful: float
    placing: float
    winding: int
    house: HouseWords | None = None

    def place_of(self, thing: PlacedThing, world: RoomLayout) -> str:
        """Return in which room a thing is, with a space before it, if that is to be said."""
        return "" if self.house is None else self.house.place_of(world, thing.object_id)

    def noun(self, thing: PlacedThing) -> Noun:
        """Return the noun of a thing; one that can be walked around may have one of its own."""
        if thing.kind in self.names.freestanding and relations.is_island(thing.box, self.rooms):
            return self.names.freestanding[thing.kind]
        return self.names.noun(thing.kind)

    def tags(self, kind: str) -> dict[str, str]:
        """Return the slots that tell what can be said of a kind."""
        return dict.fromkeys(self.names.table.of(kind, self.names.lexicon).tags, " ")

    def dress(self, thing: PlacedThing, state: str = "") -> str:
        """Return the noun of a thing without article, with its state or its looks."""
        noun = self.noun(thing).word
        if state:
            return f"{self.style.say(f'{state} state', self.tags(thing.kind))} {noun}"
        looks = [each for each in self.looks.get(thing.kind, ()) if each not in noun.split()]
        if not looks or self.names.lexicon.words(thing.kind).piece or " of " in noun:
            return noun
        if not self.style.chance(self.colourful):
            return noun
        several = len(looks) > 1 and self.style.chance(0.25)
        chosen = looks[:2] if several else [looks[int(self.style.rng.integers(len(looks)))]]
        words = noun.split()
        while len(words) > 1 and words[0] in self.order:  # a large metal knife
            chosen.append(words.pop(0))
        return " ".join([*sorted(chosen, key=lambda look: self.order.get(look, 1)), *words])

    def the(self, thing: PlacedThing, state: str = "") -> str:
        """Return the definite noun phrase of a thing, without its place."""
        return f"the {self.dress(thing, state)}"

    def where(self, relation: relations.PlaceRelation, world: RoomLayout) -> str:
        """Return a relation in words."""
        slots = dict(zip(("anchor", "other"), (self._anchor(each, world) for each in relation.anchors), strict=False))
        return self.style.say(relation.name, {**slots})

    def _anchor(self, anchor: relations.Anchor, world: RoomLayout) -> str:
        thing = world.thing(anchor.members[0])
        return self.the(thing) if self.style.chance(0.3) else self.noun(thing).the()

    def placed(self, phrase: str, noun: Noun, where: str) -> str:
        """Return a noun phrase with its place."""
        slots = {"phrase": phrase, "where": where, "are" if noun.only_plural else "is": noun.verb}
        return self.style.say("placed", slots)

    def load(self, thing: PlacedThing, world: RoomLayout) -> str:
        """Return what lies in or on a thing, in words; empty if nothing does."""
        inside = world.inside(thing.object_id)
        return say_list([self.noun(other).the() for other in inside], comma=True)


def alike(world: RoomLayout, speaker: RoomSpeaker, thing: PlacedThing) -> list[PlacedThing]:
    """Return the other things that the noun of a thing may mean and that are not parts of the same."""
    word = speaker.noun(thing).word
    rivals = speaker.names.mistakable(thing.kind)
    group = speaker.names.table.same.get(thing.kind)
    together = speaker.names.lexicon.words(thing.kind).together
    found = []
    for other in world.things.values():
        if other.object_id == thing.object_id or not other.still:
            continue
        if speaker.noun(other).word != word and other.kind not in rivals:
            continue
        if (together or group) and other.box.gap(thing.box) <= 0.9:
            continue
        found.append(other)
    return found


def mention(
    world: RoomLayout,
    speaker: RoomSpeaker,
    thing: PlacedThing,
    pose: Pose,
    item: PlacedThing | None = None,
    insist: float = 1.0,
    free: bool = False,
) -> tuple[str, bool]:
    """Return the phrase of a fixture or receptacle, and whether the phrase says its place.

    Args:
        world: where things are.
        speaker: who speaks.
        thing: what is mentioned.
        pose: where the agent stands to deal with it.
        item: what is dealt with there, if it lies there already.
        insist: a factor of how often a place is said that is not needed.
        free: only places that are true wherever one stands.
    """
    noun, style = speaker.noun(thing), speaker.style
    words = speaker.names.lexicon.words(thing.kind)
    others = alike(world, speaker, thing)
    holder = world.things.get(thing.parent)
    carried = thing.traits.item or not (words.landmark or thing.traits.closable)
    if holder is not None and carried and not speaker.names.lexicon.words(holder.kind).ground:
        if others or style.chance(0.5 * insist * speaker.placing):
            return speaker.placed(speaker.the(thing), noun, f"{holder.traits.preposition} {speaker.the(holder)}"), True
        return speaker.the(thing), False
    if not thing.still:
        return speaker.the(thing), False
    if others:
        rule, figures = relations.among(thing, others, pose, world.agent_y, words.storeys)
        if free and rule.startswith("row"):
            rule = ""
        if rule and style.chance(0.3 if free else 0.7):
            return _tell_apart(speaker, thing, rule, figures), True
        found = _relations(world, speaker, thing, pose, item, free) if not free or style.chance(insist) else None
        if found and style.chance(0.9):
            return speaker.placed(speaker.the(thing), noun, speaker.where(found, world)), True
        told = rule and not free
        return (_tell_apart(speaker, thing, rule, figures), True) if told else (speaker.the(thing), False)
    phrase = speaker.the(thing)
    if style.chance(insist * speaker.placing * (1.0 if words.large else 0.45)):
        found = _relations(world, speaker, thing, pose, item, free)
        if found:
            return speaker.placed(phrase, noun, speaker.where(found, world)), True
    return phrase, False


def _tell_apart(speaker: RoomSpeaker, thing: PlacedThing, rule: str, figures: Mapping[str, int]) -> str:
    """Return the noun phrase of a thing with the words that tell it from its like."""
    noun = speaker.noun(thing)
    slots = {"noun": noun.one if noun.only_plural or noun.mass else lambda: speaker.dress(thing)}
    if figures:
        ordinal = speaker.style.say(f"ordinal {min(figures['ordinal'], 8)}", {})
        return speaker.style.say(rule, {**slots, "ordinal": ordinal})
    return speaker.style.say(rule, slots)


def _relations(
    world: RoomLayout, speaker: RoomSpeaker, thing: PlacedThing, pose: Pose, item: PlacedThing | None, free: bool
) -> relations.PlaceRelation | None:
    """Return one of the nearest relations of a fixture."""
    large = speaker.names.lexicon.words(thing.kind).large
    word = speaker.noun(thing).word
    anchors = [
        mark
        for mark in speaker.marks
        if thing.object_id not in mark.members
        and speaker.names.noun(mark.kind).word != word
        and not any(world.things[member].parent == thing.object_id and not large for member in mark.members)
    ]
    places = relations.readings(thing, pose, large, item)
    upright = thing.traits.closable or not large
    found = relations.fixture_relations(places, pose, anchors, upright and not large)
    if free:
        found = [relation for relation in found if relation.name not in ("left of", "right of")]
    if not large:
        at_walls = relations.wall_relations(thing.box, speaker.rooms)
        found = [
            *found[:RELATIONS],
            *(each for each in at_walls if each.name == "corner" or speaker.style.chance(WALL)),
        ]
    found = found[: RELATIONS + 1]
    return _salient(found, speaker) if found else None


def _salient(found: Sequence[relations.PlaceRelation], speaker: RoomSpeaker) -> relations.PlaceRelation:
    """Return one of several relations; those to big things more often, those to two things less."""
    weights = [
        min((max(anchor.box.sides()) for anchor in each.anchors), default=0.5) * (TWO if len(each.anchors) > 1 else 1)
        for each in found
    ]
    return found[speaker.style.draw(weights)]


def mention_item(world: RoomLayout, speaker: RoomSpeaker, thing: PlacedThing, pose: Pose) -> tuple[str, bool]:
    """Return the phrase of an item where it lies, and whether the phrase says its place."""
    noun, style = speaker.noun(thing), speaker.style
    if not thing.still:
        return speaker.the(thing), False
    mistakable = speaker.names.mistakable(thing.kind)
    same = [
        each for each in siblings_of(world, thing) if speaker.noun(each).word == noun.word or each.kind in mistakable
    ]
    if same:
        rule, figures = relations.which_item(thing, same, pose)
        if rule:
            return _tell_apart(speaker, thing, rule, figures), True
    if not style.chance(speaker.placing * (1.0 if same else 0.8)):
        return speaker.the(thing), False
    relation = lying(world, speaker, thing, pose)
    if relation is None:
        return speaker.the(thing), False
    return speaker.placed(speaker.the(thing), noun, speaker.where(relation, world)), True


def lying(world: RoomLayout, speaker: RoomSpeaker, thing: PlacedThing, pose: Pose) -> relations.PlaceRelation | None:
    """Return how an item lies to one of the nearest other things on its receptacle; None if nothing is certain."""
    found = relations.item_relations(thing, _anchors(world, speaker, thing), pose)[:RELATIONS]
    return found[int(speaker.style.rng.integers(len(found)))] if found else None


def siblings_of(world: RoomLayout, thing: PlacedThing) -> list[PlacedThing]:
    """Return the other things that lie where a thing lies, as they did at the start."""
    return [each for each in world.inside(thing.parent) if each.object_id != thing.object_id and each.still]


def _anchors(world: RoomLayout, speaker: RoomSpeaker, thing: PlacedThing) -> list[relations.Anchor]:
    """Return the items beside a thing whose noun means nothing else there, and the fixtures that stand there.

    What can be cut lies by no knife: it would be cut by it.
    """
    cut = "sliceable" in thing.traits.affordances
    siblings = [each for each in siblings_of(world, thing) if not (cut and "sharp" in each.traits.roles)]
    nouns = [speaker.noun(each).word for each in siblings]
    own = speaker.noun(thing).word
    kinds = {each.kind for each in siblings}
    return [
        relations.Anchor(each.kind, each.box, (each.object_id,))
        for each, noun in zip(siblings, nouns, strict=True)
        if nouns.count(noun) == 1 and noun != own and not (speaker.names.mistakable(each.kind) & {*kinds, thing.kind})
    ]


def at_part(world: RoomLayout, speaker: RoomSpeaker, thing: PlacedThing, pose: Pose, unless: str = "") -> str:
    """Return ``on the left side of the table`` for an item that lies there; empty if nothing like it is certain.

    Args:
        world: where things are.
        speaker: who speaks.
        thing: the item.
        pose: from where it is seen.
        unless: the rule of a part that is not said.
    """
    holder = world.things.get(thing.parent)
    if holder is None or not thing.still or holder.traits.preposition != "on":
        return ""
    if speaker.names.table.of(holder.kind, speaker.names.lexicon).spread:
        return ""
    if alike(world, speaker, holder) or speaker.names.lexicon.words(holder.kind).ground:
        return ""
    part = relations.part_of(thing, holder.box, pose)
    return speaker.style.say(part.name, {"whole": speaker.the(holder)}) if part and part.name != unless else ""
