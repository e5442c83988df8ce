"""Why an action cannot be done: AI2-THOR's error codes with messages of our own, each naming the object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chorewright.problems.household.scene import Vector
from chorewright.replay.simulator import Argument, SimulatorAction


@dataclass(frozen=True, slots=True)
class RefusalReason:
    """An error code of AI2-THOR and the pattern of the message that goes with it."""

    code: str
    pattern: str


UNKNOWN_ACTION = RefusalReason("InvalidAction", "Invalid action: {what} is not an action of this simulator.")
MISSING_ARGUMENT = RefusalReason("MissingArguments", "{action} needs the argument {what}.")
BAD_ARGUMENT = RefusalReason("InvalidArgument", "{action} got {what}, which is not a valid value of {name}.")
TOO_MUCH = RefusalReason("InvalidArgument", "{action} got {what}; at most {most} are taken.")
UNKNOWN_OBJECT = RefusalReason("ObjectNotFound", "{what} is not an object of this room.")
BLOCKED = RefusalReason("Undefined", "{what} is blocking the agent from moving {metres} m.")
NO_STANDING_POINT = RefusalReason("Undefined", "Cannot teleport to {what}: the agent cannot stand there.")
LOOK_UP_LIMIT = RefusalReason("LookUpCantExceedMax", "Cannot look up further than {what} degrees above the horizon.")
LOOK_DOWN_LIMIT = RefusalReason(
    "LookDownCantExceedMin", "Cannot look down further than {what} degrees below the horizon."
)
NO_WAY = RefusalReason("Undefined", "There is no way to {what}.")
NOT_VISIBLE = RefusalReason("ObjectNotVisible", "{what} is not visible: it is outside the camera's field of view.")
TOO_FAR = RefusalReason(
    "ObjectNotVisible", "{what} is not visible: it is {metres} m away, and the agent reaches {reach} m."
)
SHUT_IN = RefusalReason("ObjectNotVisible", "{what} is not visible: {where} is closed.")
CONSUMED = RefusalReason(
    "ObjectNotVisible", "{what} is not visible: it has been sliced, and its pieces lie in its place."
)
HAND_FULL = RefusalReason("InventoryFull", "The agent's hand already holds {what}.")
HAND_EMPTY = RefusalReason("ObjectNotInInventory", "The agent's hand is empty; there is nothing to {what}.")
NOT_HELD = RefusalReason("ObjectNotInInventory", "{what} is not in the agent's hand.")
IN_HAND = RefusalReason("Undefined", "{what} is in the agent's hand, so the agent cannot {action} it.")
IN_HAND_OF_OTHER = RefusalReason("Undefined", "{what} is in another agent's hand.")
IN_THE_WAY = RefusalReason("Undefined", "{what} cannot be moved there: {where} is in the way.")
NO_ROOM = RefusalReason("Undefined", "{what} cannot be let go: there is no room for it beside the agent.")
LACKS = RefusalReason("Undefined", "{what} is not {action}.")
NOT_PICKUPABLE = RefusalReason("ObjectNotPickupable", "{what} is not pickupable: it must have the property Pickupable.")
NOT_RECEPTACLE = RefusalReason("Undefined", "{what} is not a receptacle: it must have the property Receptacle.")
CLOSED = RefusalReason("ReceptacleNotOpen", "{what} is a closed receptacle; it must be open before anything is put in.")
NOT_ALLOWED = RefusalReason(
    "ObjectNotAllowedInReceptacle", "{what} cannot be placed in {where}: that kind does not belong there."
)
NO_PLACE = RefusalReason(
    "ReceptacleFull", "No valid position to place {what} was found: {where} is too full or too small."
)
NO_SPAWN = RefusalReason("Undefined", "No valid positions to place all objects were found: {what}.")
INTO_ITSELF = RefusalReason("Undefined", "{what} cannot be placed into itself or into what it holds.")
ALREADY = RefusalReason("Undefined", "{what} is already {action}.")
MUST_BE_OFF = RefusalReason("Undefined", "{what} is running: it must be off before it is opened.")
MUST_BE_CLOSED = RefusalReason("Undefined", "{what} is open: it must be closed before it is turned on.")
CONTROLLED = RefusalReason("Undefined", "{what} has no switch of its own: it is controlled by {where}.")
IN_DOORWAY = RefusalReason("Undefined", "{what} cannot be closed: {where} stands in the doorway.")
NEEDS_KNIFE = RefusalReason("Undefined", "{what} can be sliced only while the agent holds something sharp.")


class Refusal(Exception):
    """An action cannot be done in the present state; nothing has changed."""

    def __init__(self, reason: RefusalReason, **details: object) -> None:
        super().__init__(reason.pattern.format(**details))
        self.code = reason.code

    @property
    def message(self) -> str:
        return str(self.args[0])


# Reading the arguments of a simulator call; one that is missing or of the wrong type gives a refusal.


LARGEST = 1e12
"""Larger numbers are taken for mistakes."""


def missing(call: SimulatorAction, name: str) -> Refusal:
    """Return the refusal of a call without an argument."""
    return Refusal(MISSING_ARGUMENT, action=call.action, what=name)


def bad(call: SimulatorAction, name: str, value: object) -> Refusal:
    """Return the refusal of a call whose argument cannot have a value."""
    return Refusal(BAD_ARGUMENT, action=call.action, what=repr(value), name=name)


def text(call: SimulatorAction, name: str) -> str:
    """Return a text argument.

    Raises:
        Refusal: It is missing or not a text.
    """
    value = call.arguments.get(name)
    if value is None or value == "":
        raise missing(call, name)
    if not isinstance(value, str):
        raise bad(call, name, value)
    return value


def number(call: SimulatorAction, name: str, default: float = 0.0) -> float:
    """Return a number of at most ``LARGEST``, or the default where the argument is absent.

    Raises:
        Refusal: It is not such a number.
    """
    value = call.arguments.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
        raise bad(call, name, value)
    return value


def flag(call: SimulatorAction, name: str, default: bool = False) -> bool:
    """Return a yes-or-no argument."""
    value = call.arguments.get(name)
    return default if value is None else bool(value)


def is_forced(call: SimulatorAction) -> bool:
    """Return whether the call carries AI2-THOR's ``forceAction``."""
    return flag(call, "forceAction")


def part(call: SimulatorAction, name: str) -> SimulatorAction | None:
    """Return an argument that has arguments of its own as a call with these; None where it is absent.

    Raises:
        Refusal: It is something else.
    """
    value = call.arguments.get(name)
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise bad(call, name, value)
    return SimulatorAction(call.action, value)


def vector(call: SimulatorAction, name: str, default: Vector | None = None) -> Vector:
    """Return an argument {x, y, z}, or the default where it is absent; an axis that it leaves out is the default's.

    Raises:
        Refusal: It is something else, or is absent without a default.
    """
    told = part(call, name)
    if told is None and default is None:
        raise missing(call, name)
    before = default or (0.0, 0.0, 0.0)
    if told is None:
        return before
    return number(told, "x", before[0]), number(told, "y", before[1]), number(told, "z", before[2])


def several(call: SimulatorAction, name: str, default: Sequence[Argument]) -> Sequence[Argument]:
    """Return a list, or the default where the argument is absent.

    Raises:
        Refusal: It is something else.
    """
    value = call.arguments.get(name)
    if value is None:
        return default
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise bad(call, name, value)
    return value


def parts(call: SimulatorAction, name: str) -> list[SimulatorAction]:
    """Return the elements of a list, each as a call with its arguments.

    Raises:
        Refusal: It is absent or no list, or an element has no arguments.
    """
    if call.arguments.get(name) is None:
        raise missing(call, name)
    found = []
    for value in several(call, name, ()):
        if not isinstance(value, Mapping):
            raise bad(call, name, value)
        found.append(SimulatorAction(call.action, value))
    return found
