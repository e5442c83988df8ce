"""One leg of a plan in words: going somewhere, picking up, putting, slicing, cleaning, and so on."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from chorewright.errors import UsageError
from chorewright.problems.thor.scene import Pose
from chorewright.rsa.english.path_phrases import Run, ahead, describe_route, is_placed, simplify, trace, turn
from chorewright.rsa.english.phrases import Voice, enumerate_phrases, pick
from chorewright.rsa.english.place_phrases import Layout, Thing, item, landmarks, place, relation

_LOW = 0.6
"""Metres below the agent's middle at which something lies on the floor or is to be bent down to."""

_LONGEST = 26
"""Words of a sentence about a path, beyond which it is said more briefly."""

_ANYWHERE = Pose(0, 0, 0, 30)


@dataclass(frozen=True, slots=True)
class Leg:
    """A segment of a plan, with what its words need.

    Attributes:
        action: ALFRED's name of the subgoal: GotoLocation, PickupObject, PutObject, SliceObject, CleanObject,
            HeatObject, CoolObject, ToggleObject, NoOp; or OpenObject, CloseObject, PourObject.
        object_id: what is picked up, put, sliced, cleaned, heated, cooled, toggled, opened or poured out; the
            item itself, never the appliance. Empty for GotoLocation.
        receptacle_id: the direct receptacle it is taken from or put into; the basin, microwave or fridge of a
            macro; what is poured into. Empty if there is none.
        pose: where the agent stands when the segment starts.
        actions: names of its low-level actions, with or without ``_25``, ``_90``, ``_15``.
    """

    action: str
    object_id: str = ""
    receptacle_id: str = ""
    pose: Pose = _ANYWHERE
    actions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Moment:
    """The world before a leg, and the things handled until then."""

    world: Layout
    seen: frozenset[tuple[str, Pose]]
    handled: tuple[str, ...]


def say_leg(leg: Leg, following: Leg, moment: Moment, voice: Voice, rng: np.random.Generator) -> str:
    """Return one wording of a leg.

    Raises:
        UsageError: the leg's action is unknown.
    """
    say = _SAYINGS.get(leg.action)
    if say is None:
        raise UsageError(f"there are no words for the action {leg.action!r}", hint=f"known: {', '.join(_SAYINGS)}")
    if leg.action == "GotoLocation":
        return _go(leg, following, moment, voice, rng)
    return say(leg, moment, voice, rng)


def _pattern(name: str, voice: Voice, rng: np.random.Generator, slots: Mapping[str, str]) -> str:
    """Fill a pattern of a situation."""
    line = pick(voice.lexicon.patterns[name], rng)
    line = re.sub(r"\[([^\]]+)\]", lambda group: voice.word(group[1], rng), line)
    return line.format_map(slots)


def _held(world: Layout, voice: Voice, rng: np.random.Generator) -> str:
    """Return what is in the hand, with what lies in it or what has become of it."""
    thing = world.thing(world.holding)
    noun = voice.noun(thing.kind)
    load = world.inside(thing.object_id)
    if load:
        names = enumerate_phrases([voice.noun(other.kind).the() for other in load])
        return (
            noun.the(after=pick(("with {} in it", "with {}", "and {}"), rng).format(names))
            if (thing.traits.preposition == "in")
            else noun.the(after=pick(("with {} on it", "with {}", "and {}"), rng).format(names))
        )
    if thing.state and rng.random() < 0.45:
        return noun.the(voice.word(thing.state, rng))
    return noun.the()


def _slots(
    leg: Leg, moment: Moment, voice: Voice, rng: np.random.Generator, phrase: str, detail: bool = False
) -> dict[str, str]:
    """Return the slots of a pattern about an object and its receptacle."""
    world = moment.world
    noun = voice.noun(world.thing(leg.object_id).kind)
    slots = {"object": phrase, "name": noun.the(), "it": noun.pronoun, "is": noun.verb, "held": noun.pronoun}
    if world.holding:
        slots["held"] = _held(world, voice, rng)
    if leg.receptacle_id:
        receptacle = world.thing(leg.receptacle_id)
        outer = _outer(receptacle, world)
        full = place(world, voice, rng, receptacle, leg.pose) if detail else voice.noun(receptacle.kind).the()
        near = receptacle.traits.preposition
        door = voice.lexicon.words(outer.kind).door
        slots["receptacle"] = full
        slots["outer"] = voice.noun(outer.kind).the() if outer is not receptacle else full
        slots["door"] = f"the {door}" if door and rng.random() < 0.5 else voice.noun(outer.kind).the()
        slots["opened"] = f"{slots['outer']} {door}" if door and not detail else slots["outer"]
        slots["at"] = slots["into"] = f"{near} {full}"
        slots["from"] = f"{pick(('out of', 'from') if near == 'in' else ('from', 'from', 'off'), rng)} {full}"
    return slots


def _outer(receptacle: Thing, world: Layout) -> Thing:
    """Return what has the door that closes a receptacle: itself, or what it stands in."""
    outer = receptacle
    while not outer.traits.closable and outer.parent in world.things:
        outer = world.things[outer.parent]
    return outer if outer.traits.closable else receptacle


def _doors(leg: Leg, world: Layout) -> str:
    """Return what happens to doors: " open close", " open", " close", " lid" or nothing.

    " nested" comes before it if the door is not the receptacle's own.
    """
    names = [name.partition("_")[0] for name in leg.actions]
    handled = [index for index, name in enumerate(names) if name not in ("OpenObject", "CloseObject")]
    first = min(handled, default=0)
    opens, closes = "OpenObject" in names[:first], "CloseObject" in names[first + 1 :]
    if "CloseObject" in names[:first] and not opens:
        return " lid"
    nested = " nested" if opens or closes else ""
    if nested and leg.receptacle_id and _outer(world.thing(leg.receptacle_id), world).object_id == leg.receptacle_id:
        nested = ""
    return nested + (" open" if opens else "") + (" close" if closes else "")


def _pick_up(leg: Leg, moment: Moment, voice: Voice, rng: np.random.Generator) -> str:
    world = moment.world
    thing = world.thing(leg.object_id)
    noun = voice.noun(thing.kind)
    (before, after), needed = item(world, voice, thing, leg.pose)
    if voice.lexicon.words(thing.kind).piece:
        phrase, after = (noun.a() if rng.random() < 0.7 else f"one of the {noun.plural}"), ""
    elif _other(moment, thing) and rng.random() < 0.7:
        phrase, after = noun.the(pick(("other", "other", "second"), rng)), ""
    else:
        placed = bool(after or before) and (needed or rng.random() < (0.0, 0.3, 0.6)[voice.detail])
        after = after if placed else ""
        phrase = noun.the(before if placed else "", after)
    doors = _doors(leg, world)
    grounded = not leg.receptacle_id or voice.lexicon.words(world.thing(leg.receptacle_id).kind).ground
    slots = _slots(leg, moment, voice, rng, phrase)
    if doors:
        return _pattern("pick up" + doors, voice, rng, slots)
    if grounded:
        low = thing.still and thing.centre[1] < world.agent_y - _LOW
        return _pattern("pick up from floor" if low else "pick up loose", voice, rng, slots)
    if after and not needed:
        slots |= {"object": noun.the(), "after": after}
        return _pattern("pick up beside", voice, rng, slots)
    return _pattern("pick up placed" if after else "pick up", voice, rng, slots)


def _other(moment: Moment, thing: Thing) -> bool:
    """Whether one like this was brought somewhere before."""
    return thing.still and sum(moment.world.thing(other).kind == thing.kind for other in moment.handled) == 1


def _put(leg: Leg, moment: Moment, voice: Voice, rng: np.random.Generator) -> str:
    world = moment.world
    doors = _doors(leg, world)
    phrase = _held(world, voice, rng)
    detail = rng.random() < (0.0, 0.1, 0.35)[voice.detail]
    slots = _slots(leg, moment, voice, rng, phrase, detail)
    said = _pattern("put" + (doors or (" placed" if detail else "")), voice, rng, slots)
    thing = world.thing(leg.object_id)
    same = [other for other in world.inside(leg.receptacle_id) if other.kind == thing.kind and not other.still]
    if same and not doors and rng.random() < 0.6:
        other = f"{pick(('with', 'next to', 'beside'), rng)} {voice.noun(thing.kind).the('other')}"
        said = said if "in front of you" in said else f"{said} {other}"
    return said


def _slice(leg: Leg, moment: Moment, voice: Voice, rng: np.random.Generator) -> str:
    world = moment.world
    thing = world.thing(leg.object_id)
    (before, after), needed = item(world, voice, thing, leg.pose)
    phrase = voice.noun(thing.kind).the(*((before, after) if needed else ("", "")))
    if not leg.receptacle_id:
        leg = Leg(leg.action, leg.object_id, thing.parent, leg.pose, leg.actions)
    slots = _slots(leg, moment, voice, rng, phrase)
    slots.setdefault("at", "")
    doors = _doors(leg, world)
    return _pattern("slice" + doors if doors != " lid" else "slice", voice, rng, slots)


def _macro(name: str) -> Callable[[Leg, Moment, Voice, np.random.Generator], str]:
    """Return the sayer of CleanObject, HeatObject or CoolObject."""

    def say(leg: Leg, moment: Moment, voice: Voice, rng: np.random.Generator) -> str:
        slots = _slots(leg, moment, voice, rng, _held(moment.world, voice, rng))
        shut = name == "clean" or (bool(leg.actions) and leg.actions[-1].startswith("CloseObject"))
        brief = not shut or rng.random() < (0.85, 0.4, 0.1)[voice.detail]
        return _pattern(f"{name} brief" if brief else name, voice, rng, slots)

    return say


def _toggle(leg: Leg, moment: Moment, voice: Voice, rng: np.random.Generator) -> str:
    phrase = _fixture(leg.object_id, leg.pose, moment.world, voice, rng)
    slots = _slots(leg, moment, voice, rng, phrase)
    names = [name for name in leg.actions if name.startswith("ToggleObject")]
    if names and names[-1] == "ToggleObjectOff":
        return _pattern("toggle on and off" if len(names) > 1 else "toggle off", voice, rng, slots)
    if is_placed(phrase):
        return _pattern("toggle on placed", voice, rng, slots)
    return _pattern("toggle on held" if moment.world.holding and voice.detail else "toggle on", voice, rng, slots)


def _fixture(object_id: str, pose: Pose, world: Layout, voice: Voice, rng: np.random.Generator) -> str:
    """Return the name of furniture, placed if the voice is not brief."""
    thing = world.thing(object_id)
    if voice.detail == 0 and rng.random() < 0.7:
        return voice.noun(thing.kind).the()
    return place(world, voice, rng, thing, pose, detail=voice.detail > 0)


def _plain(name: str) -> Callable[[Leg, Moment, Voice, np.random.Generator], str]:
    """Return the sayer of an action with one pattern: open, close, pour."""

    def say(leg: Leg, moment: Moment, voice: Voice, rng: np.random.Generator) -> str:
        phrase = _fixture(leg.object_id, leg.pose, moment.world, voice, rng)
        return _pattern(name, voice, rng, _slots(leg, moment, voice, rng, phrase))

    return say


def _goal(following: Leg, moment: Moment, voice: Voice, rng: np.random.Generator) -> tuple[str, str]:
    """Return what one goes to for the next leg: its phrase, and the id of the object meant."""
    world = moment.world
    thing = world.thing(following.object_id) if following.object_id else None
    inside = following.receptacle_id or (thing.parent if thing and following.action != "ToggleObject" else "")
    grounded = not inside or voice.lexicon.words(world.thing(inside).kind).ground
    taken = following.action in ("PickupObject", "SliceObject")
    if thing and (grounded or following.action == "ToggleObject"):
        phrase = place(world, voice, rng, thing, following.pose) if following.action == "ToggleObject" else ""
        if not phrase:
            near = relation(world, voice, rng, thing.centre, following.pose, voice.noun(thing.kind).word)
            noun = voice.noun(thing.kind)
            floor = "on the floor" if thing.still and thing.centre[1] < world.agent_y - _LOW else ""
            phrase = noun.the(after=(pick((floor, near), rng) or near or floor) if taken else "")
        return phrase, thing.object_id
    if not inside:
        return "", ""
    receptacle = world.thing(inside)
    if _doors(following, world).startswith(" nested"):
        receptacle = _outer(receptacle, world)
    here = thing if taken and thing and thing.still else None
    phrase = place(world, voice, rng, receptacle, following.pose, here, detail=voice.detail > 0)
    if here and rng.random() < 0.12 and not is_placed(phrase) and not _doors(following, world):
        noun = voice.noun(here.kind)
        phrase += f" with {noun.the()} {receptacle.traits.preposition} {voice.noun(receptacle.kind).pronoun}"
    return phrase, receptacle.object_id


def _go(leg: Leg, following: Leg, moment: Moment, voice: Voice, rng: np.random.Generator) -> str:
    world = moment.world
    route = trace(leg.pose, leg.actions)
    following = Leg(following.action, following.object_id, following.receptacle_id, route.end, following.actions)
    goal, target = _goal(following, moment, voice, rng)
    if not goal:
        goal, target = _spot(route.end, moment, voice, rng)
    back = any(dealt == target and pose == route.end for dealt, pose in moment.seen)
    low = bool(target) and world.thing(target).centre[1] < world.agent_y - _LOW
    carrying = bool(world.holding)
    if carrying and route.runs and (voice.detail == 0 or rng.random() < 0.15) and rng.random() < 0.3:
        short = simplify(route, 1)
        side = turn(short.start.rotation, short.runs[0].rotation)
        side = f" on your {side}" if side in ("left", "right") and short.end.rotation == short.runs[0].rotation else ""
        slots = {"held": _held(world, voice, rng), "goal": goal, "side": side}
        return _pattern("carrying straight", voice, rng, slots)
    marks = [mark for mark in landmarks(world, voice) if mark.name not in goal]
    said = describe_route(route, goal, marks, world.length, voice, rng, back, low)
    while len(said.split()) > _LONGEST and voice.detail > 0:
        voice = replace(voice, detail=voice.detail - 1)
        said = describe_route(route, goal, marks, world.length, voice, rng, back, low)
    if carrying and route.runs and rng.random() < 0.12:
        return _pattern("carrying", voice, rng, {"held": _held(world, voice, rng), "route": said})
    return said


def _spot(pose: Pose, moment: Moment, voice: Voice, rng: np.random.Generator) -> tuple[str, str]:
    """Return what is at a pose where nothing more is done: what was dealt with there, else what one faces."""
    world = moment.world
    dealt = sorted(name for name, where in moment.seen if where == pose and world.thing(name).still)
    if dealt:
        fixed = [name for name in dealt if not world.thing(name).traits.item]
        return place(world, voice, rng, world.thing((fixed or dealt)[-1]), pose), (fixed or dealt)[-1]
    faced = ahead(Run(pose.rotation, 0, (pose.x, pose.z)), landmarks(world, voice), ())
    return (faced.name if faced else "the right place"), ""


def _unsaid(leg: Leg, moment: Moment, voice: Voice, rng: np.random.Generator) -> str:
    return ""


_SAYINGS: Mapping[str, Callable[[Leg, Moment, Voice, np.random.Generator], str]] = {
    "GotoLocation": _unsaid,
    "PickupObject": _pick_up,
    "PutObject": _put,
    "SliceObject": _slice,
    "CleanObject": _macro("clean"),
    "HeatObject": _macro("heat"),
    "CoolObject": _macro("cool"),
    "ToggleObject": _toggle,
    "OpenObject": _plain("open"),
    "CloseObject": _plain("close"),
    "PourObject": _plain("pour"),
}
