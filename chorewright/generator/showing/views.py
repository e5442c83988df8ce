"""Views: the cameras that a user asks for, by name, with size, field of view, height and look.

A camera is a word ``NAME`` or ``NAME=KIND``, and perhaps more: ``wide=third-person,fov=100,size=320x240``. What
families make of it, they say by ``Moments.with_view``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from chorewright.errors import UsageError
from chorewright.files.english import require_known

SMALLEST, LARGEST = 16, 2048
"""Pixels of a picture's sides."""

MOST_LOOKS = 100
"""Looks of one episode, at most."""

_PARTS = ("fov", "height", "size", "look")


@dataclass(frozen=True, slots=True)
class CameraRequest:
    """A camera that is asked for.

    Attributes:
        name: What its pictures are called.
        kind: Which of the family's cameras it is.
        size: Width and height in pixels; None for the usual ones.
        fov: Degrees of the picture's height; None for the usual ones.
        height: Metres above the floor; None for the usual ones.
        look: The number of a look; 0 for the usual one.
    """

    name: str
    kind: str
    size: tuple[int, int] | None = None
    fov: float | None = None
    height: float | None = None
    look: int = 0


@dataclass(frozen=True, slots=True)
class CameraView:
    """How pictures are taken where that is not usual.

    Attributes:
        cameras: The cameras; without any those that the family has.
        size: Width and height in pixels, fov, height: Of all cameras that say nothing else and take it.
        looks: In so many looks besides the usual one all cameras see everything.
    """

    cameras: tuple[CameraRequest, ...] = ()
    size: tuple[int, int] | None = None
    fov: float | None = None
    height: float | None = None
    looks: int = 0

    def requests(self, usual: CameraRequest, known: Mapping[str, Sequence[str]]) -> tuple[CameraRequest, ...]:
        """Return all cameras, whole.

        Args:
            usual: The camera where none is asked for.
            known: The family's kinds of cameras, and what each takes of ``fov`` and ``height``.

        Raises:
            UsageError: There is no such camera, or one does not take what is asked of it.
        """
        asked = self.cameras or (usual,)
        for each in asked:
            _check_kind(each, known)
        for part in ("fov", "height"):
            if getattr(self, part) is not None and not any(part in known[each.kind] for each in asked):
                raise UsageError(f"none of the cameras takes a {part}")
        found = [
            replace(
                each,
                size=each.size or self.size,
                fov=self.fov if each.fov is None and "fov" in known[each.kind] else each.fov,
                height=self.height if each.height is None and "height" in known[each.kind] else each.height,
            )
            for each in asked
        ]
        more = [replace(each, name=f"{each.name}_look{k}", look=k) for k in range(1, self.looks + 1) for each in found]
        return (*found, *more)


USUAL = CameraView()
"""As the benchmark's pictures are."""


def parse_view(
    cameras: Sequence[str] = (), size: str = "", fov: float | None = None, height: float | None = None, looks: int = 0
) -> tuple[int | None, CameraView]:
    """Read what a user asks of cameras.

    Args:
        cameras: Words ``NAME[=KIND][,fov=N][,height=N][,size=WxH][,look=N]``.
        size: ``N``, pixels on a side of the first camera, the others in proportion; or ``WxH``, of all cameras.
        fov, height, looks: As those of ``CameraView``.

    Returns:
        The pixels on a side, if they are given, and the view.

    Raises:
        UsageError: Something is no camera, or makes no sense.
    """
    requests = tuple(map(_camera, cameras))
    names = [each.name for each in requests]
    if len(set(names)) < len(names):
        raise UsageError(f"two cameras are called {next(each for each in names if names.count(each) > 1)!r}")
    if fov is not None:
        _check("--fov", fov, 1, 179, "degrees")
    if height is not None:
        _check("--camera-height", height, 0.05, 10, "metres")
    if not 0 <= looks <= MOST_LOOKS:
        raise UsageError(f"--looks must be 0 to {MOST_LOOKS}, not {looks}")
    sides = parse_size(size) if size else None
    square = int(size) if size.strip().isdigit() else None
    return square, CameraView(requests, sides if size and square is None else None, fov, height, looks)


def parse_size(text: str) -> tuple[int, int]:
    """Return width and height from ``WxH``, or from ``N`` for both.

    Raises:
        UsageError: It is neither, or a side has too few or too many pixels.
    """
    sides = re.fullmatch(r"(\d{1,6})(?:[xX×](\d{1,6}))?", text.strip())
    if sides is None:
        raise UsageError(f"a size is N or WxH in pixels, not {text!r}", hint="for example 320x240")
    width, height = int(sides[1]), int(sides[2] or sides[1])
    if not (SMALLEST <= width <= LARGEST and SMALLEST <= height <= LARGEST):
        raise UsageError(f"pictures must be {SMALLEST} to {LARGEST} pixels on a side, not {text.strip()}")
    return width, height


def _check_kind(request: CameraRequest, known: Mapping[str, Sequence[str]]) -> None:
    """Check that a family has a camera, and that this one takes what is asked of it."""
    require_known(request.kind, known, f"there is no camera {request.kind!r}", f"there are {', '.join(known)}")
    for part in ("fov", "height"):
        if getattr(request, part) is not None and part not in known[request.kind]:
            raise UsageError(f"the camera {request.kind!r} takes no {part}")


def _camera(word: str) -> CameraRequest:
    first, *parts = word.split(",")
    name, _, kind = first.partition("=")
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,63}", name):
        raise UsageError(f"a camera has a name of letters and digits, not {name!r}", hint="NAME or NAME=KIND")
    request = CameraRequest(name, kind or name)
    for part in parts:
        key, _, value = part.partition("=")
        require_known(key, _PARTS, f"a camera has no {key!r}", f"{', '.join(_PARTS)}, as in {name},fov=90")
        if key == "size":
            request = replace(request, size=parse_size(value))
        elif key == "look":
            request = replace(request, look=int(_check("look", _number(part, value), 0, MOST_LOOKS, "")))
        elif key == "fov":
            request = replace(request, fov=_check("fov", _number(part, value), 1, 179, "degrees"))
        else:
            request = replace(request, height=_check("height", _number(part, value), 0.05, 10, "metres"))
    return request


def _number(part: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise UsageError(f"{part!r} has no number") from None


def _check(what: str, value: float, low: float, high: float, unit: str) -> float:
    if not low <= value <= high:
        raise UsageError(f"{what} must be {low:g} to {high:g} {unit}".rstrip() + f", not {value:g}")
    return value
