"""The legs of a plan, as its words need them: going somewhere, picking up, putting, slicing, cleaning, and so on."""

from __future__ import annotations

from dataclasses import dataclass

from chorewright.problems.household.scene import Pose
from chorewright.rsa.household.place_phrases import RoomLayout

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
class LegMoment:
    """The world before a leg, and the things handled until then."""

    world: RoomLayout
    seen: frozenset[tuple[str, Pose]]
    handled: tuple[str, ...]
