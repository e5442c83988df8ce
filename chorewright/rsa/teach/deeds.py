"""What is done at one place, summed up as one would say it, and the turns in which it is talked about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from chorewright.problems.household.scene import Attributes, Scene
from chorewright.rsa.household.directives import END, Leg
from chorewright.rsa.household.layout import LegMoment
from chorewright.rsa.teach.sentences import Saying, Unclear

GOTO, PICKUP, PUT, TOGGLE, POUR, SLICE = (
    "GotoLocation", "PickupObject", "PutObject", "ToggleObject", "PourObject", "SliceObject",
)  # fmt: skip

GET, LAY, USE, WASH, FILL, ON, OFF = "get", "put", "use", "wash", "fill", "on", "off"
"""Deeds; those of other actions are called like these, without "Object"."""

GET_HERE = "get here"
"""What the data call getting something where one is already."""

StateOf = Callable[[int, str], "Attributes | None"]
"""The attributes of an object before a leg; None of what is not there."""


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that is done at one place.

    Attributes:
        key: What it is called in the data: get, put, use (an appliance), wash, fill, on, off, slice, pour, ...
        legs: The legs that it sums up.
        object_id: What it is done to.
        receptacle_id: Where that is taken from or put into.
        tool_id: The switch or appliance that is used.
        taken: Whether the object is in the hand afterwards.
    """

    key: str
    legs: tuple[int, ...]
    object_id: str
    receptacle_id: str = ""
    tool_id: str = ""
    taken: bool = False


def visits_of(legs: Sequence[Leg]) -> list[list[int]]:
    """Return the legs by where they take place: a walk and what is done at its end."""
    visits: list[list[int]] = []
    for number, leg in enumerate(legs):
        if leg.action in END:
            continue
        if leg.action == GOTO or not visits:
            visits.append([])
        visits[-1].append(number)
    return visits


@dataclass(frozen=True, slots=True)
class DeedReader:
    """Sums legs up.

    Attributes:
        legs: The plan's legs.
        moments: The moment before each.
        state: The attributes of objects before each.
        controls: What each switch works on.
    """

    legs: Sequence[Leg]
    moments: Sequence[LegMoment]
    state: StateOf
    controls: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, legs: Sequence[Leg], moments: Sequence[LegMoment], state: StateOf, scene: Scene) -> DeedReader:
        """Return a reader of a plan's legs in a scene."""
        controls = {
            thing.object_id: frozenset((*thing.controls, thing.object_id))
            for thing in scene.objects
            if "toggleable" in thing.traits.affordances
        }
        return cls(legs, moments, state, controls)

    def deeds(self, visit: Sequence[int]) -> tuple[Deed, ...]:
        """Return what is done on a visit."""
        found: list[Deed] = []
        for number in visit:
            if self.legs[number].action != GOTO:
                self._add(found, number)
        return tuple(found)

    def _add(self, found: list[Deed], number: int) -> None:
        leg = self.legs[number]
        last = found[-1] if found else None
        if last is not None and leg.action == TOGGLE and self._works(leg.object_id, last, number):
            tool = last.tool_id or leg.object_id
            key = self._used(number, last) if last.key == LAY else last.key
            found[-1] = replace(last, key=key, tool_id=tool, legs=(*last.legs, number))
        elif (
            last is not None
            and last.key == ON
            and leg.action == PUT
            and self._holds(last.object_id, leg.receptacle_id, number)
        ):
            deed = Deed(LAY, (*last.legs, number), leg.object_id, leg.receptacle_id, last.object_id)
            found[-1] = replace(deed, key=self._used(number, deed))
        elif last is not None and leg.action == PICKUP and last.tool_id and leg.object_id == last.object_id:
            found[-1] = replace(last, legs=(*last.legs, number), taken=True)
        elif last is not None and last.key == LAY and leg.action == PICKUP and leg.object_id == last.object_id:
            self._taken_again(found, number)
        elif last is not None and leg.action == "CloseObject" and leg.object_id == last.receptacle_id:
            found[-1] = replace(last, legs=(*last.legs, number))
        else:
            found.append(self._single(number))

    def _taken_again(self, found: list[Deed], number: int) -> None:
        """Add the pick-up of what was just put somewhere: where a switch was on already, that was used."""
        last = found[-1]
        switches = (name for name in self.controls if self._holds(name, last.receptacle_id, number))
        tool = next(switches, "")
        if tool:
            deed = replace(last, tool_id=tool, legs=(*last.legs, number), taken=True)
            found[-1] = replace(deed, key=self._used(number, deed))
        else:
            found.append(self._single(number))

    def _single(self, number: int) -> Deed:
        leg = self.legs[number]
        names = " ".join(leg.actions).lower()
        key = leg.action.removesuffix("Object").lower()
        tool, taken = "", False
        if leg.action == PICKUP:
            key, taken = GET, True
        elif leg.action == PUT:
            key = LAY
        elif leg.action == TOGGLE:
            key = OFF if "off" in names and "toggleon" not in names and "objecton" not in names else ON
        elif leg.action == "CleanObject":
            key, tool, taken = self._wash(number, leg.object_id), leg.receptacle_id, True
        elif leg.action == "HeatObject":
            key, tool, taken = USE, leg.receptacle_id, True
        elif leg.action == SLICE:
            tool = self.moments[number].world.holding
        return Deed(key, (number,), leg.object_id, leg.receptacle_id, tool, taken)

    def _works(self, switch: str, last: Deed, number: int) -> bool:
        """Whether a switch belongs to what was done last: it is the tool, or works on where something was put."""
        if last.tool_id == switch:
            return True
        return last.key == LAY and self._holds(switch, last.receptacle_id, number)

    def _holds(self, switch: str, receptacle: str, number: int) -> bool:
        around = self.moments[number].world.thing(receptacle).parent
        return bool(self.controls.get(switch, frozenset()) & {receptacle, around})

    def _used(self, number: int, deed: Deed) -> str:
        """Return what putting something where a switch works on it is called."""
        world = self.moments[number].world
        tool = deed.tool_id or self.legs[number].object_id
        return self._wash(deed.legs[0], deed.object_id) if "rinses" in world.thing(tool).traits.roles else USE

    def _wash(self, number: int, object_id: str) -> str:
        """Return whether water cleans an object or fills it: a clean vessel is filled."""
        state = self.state(number, object_id)
        fills = "fillable" in self.moments[number].world.thing(object_id).traits.affordances
        return FILL if fills and state is not None and not state.is_dirty else WASH


# What is talked about in a session, and what comes of it: the turns.


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """One utterance.

    Attributes:
        leg: Before which leg it is said; as many as there are legs: at the end.
        speaker: ``COMMANDER`` or ``FOLLOWER``.
        sayings: What is said, each part with its dialogue act.
        level: ``goal``, ``step``, ``question``, ``answer`` (where something is) or ``utterance`` (all else).
        about: The object that a question or answer is about.
        trouble: The number of the trouble that it comes right after, -1 if there is none.
    """

    leg: int
    speaker: int
    sayings: tuple[Saying, ...]
    level: str = "utterance"
    about: str = ""
    trouble: int = -1

    @property
    def text(self) -> str:
        """All that is said."""
        return " ".join(each.text for each in self.sayings)


@dataclass(frozen=True, slots=True)
class SpokenPart:
    """A sub-goal: its wordings, and the leg with which the work on it begins.

    ``together`` tells that it brings together what others prepare.
    """

    leg: int
    wordings: tuple[str, ...]
    together: bool = False


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that goes wrong: its kind (a situation ``trouble KIND`` of the data), its leg and objects."""

    kind: str
    leg: int
    item: str
    other: str = ""
    instead: bool = False  # of getting the item or a tool for it, something else is done
    way: str = ""  # which way to turn to see the item


@dataclass(frozen=True, slots=True)
class Talk:
    """What is talked about.

    Attributes:
        goals: Wordings of the task.
        unclear: Wordings of it that leave something open.
        parts: Gives its sub-goals in the order in which they are worked on; None if it has none. Only asked
            where the Commander says them.
        legs: The plan's segments, as ``directives`` takes them.
        scene: The scene at the start.
        state: The attributes of objects before each leg.
        troubles: What goes wrong, in order.
    """

    goals: Sequence[str]
    unclear: Sequence[Unclear]
    parts: Callable[[], Sequence[SpokenPart]] | None
    legs: Sequence[Leg]
    scene: Scene
    state: StateOf
    troubles: Sequence[Trouble] = ()
