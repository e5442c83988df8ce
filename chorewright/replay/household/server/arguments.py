"""The arguments of clients' actions: names, types and ranges, refused as AI2-THOR's dispatcher refuses them.

Builds from 3 on match a call with the parameters of a method. They refuse arguments that the method does not have, with
a message that their clients raise. Some methods take any field instead, and so does every action of build 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from chorewright.files.records import reader_of
from chorewright.replay.household.refusals import LARGEST, Refusal, RefusalReason, bad
from chorewright.replay.simulator import SimulatorAction

INVALID = RefusalReason(
    "InvalidArgument",
    '\n\tAction: "{action}" called with invalid argument{s}: {wrong}'
    "\n\tExpected arguments: {expected}"
    "\n\tYour arguments: {given}"
    '\n\tValid ways to call "{action}" action:\n\t\t{ways}',
)
TYPE = RefusalReason(
    "InvalidArgument", "action: {action} has an invalid argument: {name} (=={value}). Cannot convert to: {kind}"
)
MISSING = RefusalReason("MissingArguments", "action: {action} is missing the following arguments: {names}")
NEWER = RefusalReason("InvalidAction", "Invalid action: {action}")

Range = tuple[float | None, float | None]
"""The least and the greatest value; None where there is no limit."""


@dataclass(frozen=True, slots=True)
class ActionSignature:
    """What an action takes.

    Attributes:
        calls: The parameters of each of its methods, as the dispatcher prints them; none for one that takes any field.
        reads: The fields that count of one that takes any, with their types.
        idle: Parameters that are taken without effect.
        ranges: Between which values a number must be.
        means: What parameters mean, where they mean something else than usual.
        since: The oldest client that has the action.
    """

    calls: tuple[str, ...] = ()
    reads: Mapping[str, str] = field(default_factory=dict)
    idle: tuple[str, ...] = ()
    ranges: Mapping[str, Range] = field(default_factory=dict)
    means: Mapping[str, str] = field(default_factory=dict)
    since: int = 2


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a method: C#'s type, a question mark after it where it can be null, and its default."""

    kind: str
    name: str
    default: str | None = None

    @classmethod
    def read(cls, text: str) -> Parameter:
        """Return the parameter of a text such as ``Single? degrees = ``; without a default it has to be given."""
        declared, equals, default = text.partition(" =")
        kind, name = declared.split()
        return cls(kind, name, default.strip() if equals else None)

    def __str__(self) -> str:
        kind = "Nullable`1" if self.kind.endswith("?") else self.kind
        return f"{kind} {self.name}" + ("" if self.default is None else f" = {self.default}")

    def takes(self, value: object) -> bool:
        """Return whether a value of JSON can become one of its type."""
        return value is None or _is_of(self.kind.removesuffix("?"), value)


@dataclass(frozen=True, slots=True)
class _Arguments:
    """The file: what every action takes, what parameters mean, and the actions by their names, several to a line."""

    everywhere: Mapping[str, str]
    meanings: Mapping[str, str]
    actions: Mapping[str, ActionSignature]


load_arguments = reader_of(_Arguments, "chorewright.replay", "data/thor_arguments.json")
"""Returns what is known of all actions."""


def signature_of(action: str) -> ActionSignature | None:
    """Return what an action takes, or None if it is not known."""
    return next((each for names, each in load_arguments().actions.items() if action in names.split(", ")), None)


def parameters(text: str) -> tuple[Parameter, ...]:
    """Return the parameters of a method."""
    return tuple(Parameter.read(part) for part in text.split(", ")) if text else ()


def check(call: SimulatorAction, version: int) -> None:
    """Refuse a call that a build would refuse for its arguments.

    Args:
        call: What a client asks for. Actions that are not known are left to the world.
        version: AI2-THOR's version that the client is made for. Build 2 takes any field.

    Raises:
        Refusal: The action is newer than the client, or an argument is unknown, missing, of another type or out of
            its range.
    """
    signature = signature_of(call.action)
    if signature is None:
        return
    if version < signature.since:
        raise Refusal(NEWER, action=call.action)
    if version >= 3 and signature.calls:
        _check_names(call, signature)
    elif version >= 3:
        _check_types(call, [Parameter(kind, name, "") for name, kind in signature.reads.items()])
    for name, (least, most) in signature.ranges.items():
        value = call.arguments.get(name)
        low, high = -inf if least is None else least, inf if most is None else most
        if isinstance(value, int | float) and not low <= value <= high:
            raise bad(call, name, value)


def _check_names(call: SimulatorAction, signature: ActionSignature) -> None:
    given = [name for name in call.arguments if name not in load_arguments().everywhere]
    methods = sorted(map(parameters, signature.calls), key=_size)
    by_fit = sorted(methods, key=lambda method: -sum(each.name in given for each in method))
    best = by_fit[0]
    wrong = [name for name in given if name not in {each.name for each in best}]
    if wrong:
        raise Refusal(
            INVALID,
            action=call.action,
            s="s" if len(wrong) > 1 else "",
            wrong=", ".join(f"'{name}'" for name in wrong),
            expected=", ".join(map(str, best)),
            given=", ".join(f"'{name}'" for name in given),
            ways="\n\t\t".join(f"Void {call.action}({', '.join(map(str, method))})" for method in by_fit),
        )
    _check_types(call, best)
    absent = [each.name for each in best if each.default is None and call.arguments.get(each.name) is None]
    if absent:
        raise Refusal(MISSING, action=call.action, names=",".join(absent))


def _size(method: Sequence[Parameter]) -> tuple[int, int]:
    """Return how many parameters of a method have to be given, and how many it has: the dispatcher's order."""
    return sum(each.default is None for each in method), len(method)


def _check_types(call: SimulatorAction, method: Sequence[Parameter]) -> None:
    for each in method:
        value = call.arguments.get(each.name)
        if not each.takes(value):
            kind = {"Single": "float", "Int32": "int"}.get(each.kind.removesuffix("?"), each.kind.removesuffix("?"))
            shown = (value if isinstance(value, str) else repr(value))[:SHOWN]
            raise Refusal(TYPE, action=call.action, name=each.name, value=shown, kind=kind)


SHOWN = 200
"""Characters of a wrong value that are told back."""


def _is_of(kind: str, value: object) -> bool:
    """Return whether a value of JSON can become one of C#'s type; a turn may be a number, too."""
    number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST
    if kind == "Single":
        return number
    if kind == "Int32":
        return number and float(str(value)).is_integer()
    if kind == "Vector3":
        return number or (isinstance(value, Mapping) and all(_is_of("Single", value.get(axis, 0.0)) for axis in "xyz"))
    if kind.endswith("[]"):
        items = value if isinstance(value, Sequence) and not isinstance(value, str) else None
        return items is not None and all(_is_of(kind.removesuffix("[]"), item) for item in items)
    return isinstance(value, _PLAIN.get(kind, Mapping))


_PLAIN: Mapping[str, type | tuple[type, ...]] = {"String": str, "Boolean": (bool, int), "Object": object}
"""What values of C#'s types are in JSON; of those that are not here, objects."""
