"""What is done at a place, in words: picking up, putting, cutting, cleaning, heating, cooling, switching.

Each kind of leg has a rule of the grammar, named after what is done and what doors do; its slots are noun phrases.
``say_leg`` is the sentence of one leg, without capital and full stop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from chorewright.errors import UsageError
from chorewright.problems.household.scene import Pose
from chorewright.rsa.household.house_words import Crossing, crossing, plain_name
from chorewright.rsa.household.layout import Leg, LegMoment, PlacedThing, RoomLayout, Run, trace
from chorewright.rsa.household.mentions import RoomSpeaker, at_part, mention, mention_item
from chorewright.rsa.household.walks import WalkGoal, join, nearest_ahead, say_walk

LOW = 0.6
"""Metres below the agent's middle at which something lies on the floor or is to be bent down to."""

DRESSED = 0.4
"""How much less the looks of things are said where they are dealt with than on the way to them."""

OTHER = 0.3
"""How often the second of two like things is called the other one."""

RULES: Mapping[str, str] = {
    "PickupObject": "pick up",
    "PutObject": "put",
    "SliceObject": "slice",
    "CleanObject": "clean",
    "HeatObject": "heat",
    "CoolObject": "cool",
    "ToggleObject": "toggle",
    "OpenObject": "open",
    "CloseObject": "close",
    "PourObject": "pour",
}
"""The rules of the legs that are no walks."""

WALK = "GotoLocation"


@dataclass(frozen=True, slots=True)
class Doors:
    """What happens to doors in a leg: before and after the deed; ``lid``: the thing itself is closed first."""

    opens: bool
    closes: bool
    lid: bool

    @classmethod
    def of(cls, leg: Leg) -> Doors:
        """Return what a leg's low-level actions do to doors."""
        names = [name.partition("_")[0] for name in leg.actions]
        handled = [place for place, name in enumerate(names) if name not in ("OpenObject", "CloseObject")]
        first = min(handled, default=0)
        opens = "OpenObject" in names[:first]
        return cls(opens, "CloseObject" in names[first + 1 :], "CloseObject" in names[:first] and not opens)


def say_leg(leg: Leg, following: Leg, moment: LegMoment, speaker: RoomSpeaker) -> str:
    """Return one wording of a leg.

    Raises:
        UsageError: The leg's action is unknown.
    """
    if leg.action == WALK:
        return _walk(leg, following, moment, speaker)
    moment, speaker = in_room(leg.pose, moment, speaker)
    rule = RULES.get(leg.action)
    if rule is None:
        known = ", ".join((WALK, *RULES))
        raise UsageError(f"there are no words for the action {leg.action!r}", hint=f"known: {known}")
    return _deed(rule, leg, moment, speaker)


def phrase_in_hand(world: RoomLayout, speaker: RoomSpeaker) -> str:
    """Return what is in the hand, with what lies in it or what has become of it; empty for nothing."""
    if not world.holding:
        return ""
    thing = world.thing(world.holding)
    load = speaker.load(thing, world)
    phrase = speaker.the(thing, thing.state if thing.state and speaker.style.chance(0.4) else "")
    if not load:
        return phrase
    rule = f"loaded {thing.traits.preposition}"
    noun = speaker.noun(thing)
    return speaker.style.say(rule, {"phrase": phrase, "load": load, "it": noun.pronoun})


def _deed(rule: str, leg: Leg, moment: LegMoment, speaker: RoomSpeaker) -> str:
    world = moment.world
    thing = world.thing(leg.object_id)
    speaker = replace(speaker, colourful=DRESSED * speaker.colourful)
    if rule == "slice" and not leg.receptacle_id:
        leg = replace(leg, receptacle_id=thing.parent)
    slots = _slots(rule, leg, thing, moment, speaker)
    doors = Doors.of(leg)
    if rule in ("pick up", "put", "slice") and (doors.opens or doors.closes) and slots["outer"]:
        what = ("open" if doors.opens else "") + ("close" if doors.closes else "")
        rule = f"{rule} {what}{'' if slots['own'] else ' nested'}"
    elif rule == "pick up" and doors.lid:
        rule = "pick up lid"
    elif rule == "toggle":
        names = [name for name in leg.actions if name.startswith("ToggleObject")]
        if names and names[-1] == "ToggleObjectOff":
            rule = "toggle on and off" if len(names) > 1 else "toggle off"
    elif rule in ("heat", "cool") and not (leg.actions and leg.actions[-1].startswith("CloseObject")):
        slots["shut"] = ""
    return speaker.style.say(rule, slots)


def _slots(
    rule: str, leg: Leg, thing: PlacedThing, moment: LegMoment, speaker: RoomSpeaker
) -> dict[str, str | Callable[[], str]]:
    """Return the slots of a deed."""
    world, noun = moment.world, speaker.noun(thing)
    with_held = rule == "slice" or (rule == "toggle" and "lamp" in thing.traits.roles)  # by a lamp at what one holds
    slots: dict[str, str | Callable[[], str]] = {
        "name": noun.the(),
        "noun": noun.word,
        "it": noun.pronoun,
        "are" if noun.only_plural else "is": noun.verb,
        "one": "" if noun.only_plural else " ",
        "alone": "" if speaker.load(thing, world) else " ",
        **speaker.tags(thing.kind),
        "shut": " ",
        "outer": "",
        "own": "",
        "held": speaker.the(world.thing(world.holding)) if world.holding and with_held else "",
    }
    if rule in ("put", "clean", "heat", "cool"):
        slots["object"] = phrase_in_hand(world, speaker) or noun.the()
    else:
        slots |= _object(rule, leg, thing, moment, speaker)
    if leg.receptacle_id:
        slots |= _receptacle(rule, leg, thing, moment, speaker, bool(slots.get("placed")))
    if rule == "put" and any(each.kind == thing.kind and not each.still for each in world.inside(leg.receptacle_id)):
        slots["other"] = f"the other {noun.word}"
    return slots


def _object(
    rule: str, leg: Leg, thing: PlacedThing, moment: LegMoment, speaker: RoomSpeaker
) -> dict[str, str | Callable[[], str]]:
    """Return the slots of what is dealt with: its phrase, and flags of what it is like."""
    world = moment.world
    noun = speaker.noun(thing)
    if rule in ("toggle", "open", "close", "pour"):
        phrase, placed = mention(world, speaker, thing, leg.pose)
        return {"object": phrase, "placed": " " if placed else "", "bare": "" if placed else phrase}
    if speaker.names.lexicon.words(thing.kind).piece:
        return {"piece": noun.a(), "pieces": noun.plural}
    if _other(moment, thing) and speaker.style.chance(OTHER):
        return {"object": f"the other {noun.word}", "placed": " "}
    phrase, placed = mention_item(world, speaker, thing, leg.pose)
    load = speaker.load(thing, world)
    if load and not placed and speaker.style.chance(0.5):
        slots = {"phrase": phrase, "load": load, "it": noun.pronoun}
        phrase, placed = speaker.style.say(f"loaded {thing.traits.preposition}", slots), True
    grounded = not leg.receptacle_id or speaker.names.lexicon.words(world.thing(leg.receptacle_id).kind).ground
    floor = grounded and thing.still and thing.centre[1] < world.agent_y - LOW
    return {
        "object": phrase,
        "placed": " " if placed else "",
        "bare": "" if placed else phrase,
        "floor": " " if floor else "",
        "part": "" if placed else at_part(world, speaker, thing, leg.pose),
    }


def _other(moment: LegMoment, thing: PlacedThing) -> bool:
    """Whether one like this was brought somewhere before."""
    return thing.still and sum(moment.world.thing(other).kind == thing.kind for other in moment.handled) == 1


def _receptacle(
    rule: str, leg: Leg, thing: PlacedThing, moment: LegMoment, speaker: RoomSpeaker, placed: bool
) -> dict[str, str | Callable[[], str]]:
    """Return the slots of a receptacle: its phrase, with prepositions, and the door around it."""
    world = moment.world
    receptacle = world.thing(leg.receptacle_id)
    words = speaker.names.lexicon.words(receptacle.kind)
    if words.ground:
        return {}
    outer = _outer(receptacle, world)
    near = receptacle.traits.preposition
    here = thing if thing.still and rule != "put" else None

    def full() -> str:
        insist = 0.0 if placed else 0.3 if rule in ("pick up", "put") else 0.1
        return mention(world, speaker, receptacle, leg.pose, here, insist)[0]

    door = speaker.names.lexicon.words(outer.kind).door
    plain = speaker.noun(outer).the()
    return {
        "receptacle": full,
        "at": lambda: f"{near} {full()}",
        "into": lambda: f"{speaker.style.say('into ' + near, {})} {full()}",
        "from": lambda: f"{speaker.style.say('from ' + near, {})} {full()}",
        "outer": plain if outer.traits.closable else "",
        "door": f"the {door}" if door else plain,
        "doors": f"{plain} {door}" if door else plain,
        "own": " " if outer is receptacle else "",
        **speaker.tags(receptacle.kind),
        "inside" if near == "in" else "surface": " ",
    }


def _outer(receptacle: PlacedThing, world: RoomLayout) -> PlacedThing:
    """Return what has the door that closes a receptacle: itself, or what it stands in."""
    outer = receptacle
    while not outer.traits.closable and outer.parent in world.things:
        outer = world.things[outer.parent]
    return outer if outer.traits.closable else receptacle


def in_room(pose: Pose, moment: LegMoment, speaker: RoomSpeaker) -> tuple[LegMoment, RoomSpeaker]:
    """Return what is said in a house as if it were the one room in which a pose is; in a room, as it is."""
    house = speaker.house
    room = None if house is None else house.room_of(pose)
    if house is None or room is None:
        return moment, speaker
    local = replace(speaker, rooms=(house.walls(room),), marks=house.marks[room.room_id])
    return replace(moment, world=house.part(moment.world, room)), local


def _walk(leg: Leg, following: Leg, moment: LegMoment, speaker: RoomSpeaker) -> str:
    route = trace(leg.pose, leg.actions)
    away = None if speaker.house is None else crossing(speaker.house, leg.pose, leg.actions)
    moment, speaker = in_room(route.end, moment, speaker)
    world = moment.world
    following = replace(following, pose=route.end)
    goal = _goal(following, moment, speaker)
    back = any(dealt == goal.object_id for dealt, _ in moment.seen)
    low = bool(goal.object_id) and world.thing(goal.object_id).centre[1] < world.agent_y - LOW
    goal = replace(goal, back=back, low=low)
    at_goal = (goal.object_id, leg.pose) in moment.seen  # nothing is brought to where it comes from
    held = phrase_in_hand(world, speaker) if world.holding and not at_goal else ""
    if away is None:
        return say_walk(route, goal, held, world, speaker)
    return join([_to_room(away, held, speaker), say_walk(away.rest, goal, "", world, speaker)], speaker)


def _to_room(away: Crossing, held: str, speaker: RoomSpeaker) -> str:
    """Return the way to another room in words."""
    assert speaker.house is not None
    phrases = speaker.house.phrases
    through = phrases[away.between[0].room_id] if len(away.between) == 1 else ""
    slots = {"place": phrases[away.there.room_id], "here": f"the {plain_name(away.here)}", "held": held}
    return speaker.style.say("carry to room" if held else "to room", {**slots, "through": through})


def _goal(following: Leg, moment: LegMoment, speaker: RoomSpeaker) -> WalkGoal:
    """Return what one goes to for the next leg."""
    world, style = moment.world, speaker.style
    thing = world.thing(following.object_id) if following.object_id else None
    switch = following.action in ("ToggleObject", "OpenObject", "CloseObject", "PourObject")
    inside = following.receptacle_id or (thing.parent if thing and not switch else "")
    grounded = not inside or speaker.names.lexicon.words(world.thing(inside).kind).ground
    taken = following.action in ("PickupObject", "SliceObject")
    if thing is not None and switch:
        return WalkGoal(*mention(world, speaker, thing, following.pose), thing.object_id)
    if thing is not None and grounded:
        floor = taken and thing.still and thing.centre[1] < world.agent_y - LOW and style.chance(0.5)
        phrase = speaker.the(thing)
        return WalkGoal(style.say("on floor", {"phrase": phrase}) if floor else phrase, floor, thing.object_id)
    if not inside:
        return _spot(following.pose, moment, speaker)
    receptacle = world.thing(inside)
    doors = Doors.of(following)
    if doors.opens or doors.closes:
        receptacle = _outer(receptacle, world)
    here = thing if taken and thing is not None and thing.still else None
    if here is not None and not doors.opens and style.chance(0.3 * speaker.placing):
        part = at_part(world, speaker, here, following.pose, unless="back part")  # one stands before it
        if part:
            return WalkGoal(style.say("part", {"part": part.partition(" ")[2]}), True, receptacle.object_id)
    phrase, placed = mention(world, speaker, receptacle, following.pose, here, insist=1.2)
    if here is not None and not placed and not doors.opens and not here.traits.receptacle and style.chance(0.14):
        noun = speaker.noun(here)
        slots = {"phrase": phrase, "load": speaker.the(here), "are" if noun.only_plural else "is": noun.verb}
        slots |= {"it": speaker.noun(receptacle).pronoun, "one": "" if noun.only_plural else " "}
        phrase, placed = style.say(f"with load {receptacle.traits.preposition}", slots), True
    return WalkGoal(phrase, placed, receptacle.object_id)


def _spot(pose: Pose, moment: LegMoment, speaker: RoomSpeaker) -> WalkGoal:
    """Return what is at a pose where nothing more is done: what was dealt with there, else what one faces."""
    world = moment.world
    dealt = sorted(name for name, where in moment.seen if where == pose and world.thing(name).still)
    if dealt:
        fixed = [name for name in dealt if not world.thing(name).traits.item]
        chosen = (fixed or dealt)[-1]
        return WalkGoal(*mention(world, speaker, world.thing(chosen), pose), chosen)
    faced = nearest_ahead(Run(pose.rotation, 0, (pose.x, pose.z)), speaker.marks)
    if faced is None:
        return WalkGoal(speaker.style.say("some place", {}), True)
    return WalkGoal(speaker.the(world.thing(faced.members[0])), False)
