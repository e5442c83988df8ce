"""Who else is in a room with a client's agent: other agents' bodies, and cameras that no agent carries."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias, cast
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from chorewright.errors import UsageError
from chorewright.problems.household.scene import GRID, Bystander, Point, Pose, Scene, Vector, points_around
from chorewright.replay.household.pixels.camera import LARGEST, Camera
from chorewright.replay.household.pixels.walls import bounds
from chorewright.replay.household.refusals import Refusal, RefusalReason, bad, flag, number, several, vector
from chorewright.replay.household.world import axes
from chorewright.replay.simulator import Frame, SimulatorAction

if TYPE_CHECKING:
    from chorewright.replay.household.room import Room


Json: TypeAlias = dict[str, object]

FAR_AWAY = 60.0
"""Metres from which an orthographic camera's view is drawn: there perspective hardly shows."""

SIZE = RefusalReason(
    "InvalidArgument", "{action}: a picture of {what} pixels cannot be drawn; each side has 1 to {most}."
)

FRINGE = 0.05
"""Metres beyond the walls that a map shows."""

MOST_CAMERAS = 16
"""Third-party cameras that there may be, since each is drawn after every action."""

TOO_MANY = RefusalReason("InvalidArgument", "There are {what} third-party cameras, which is the most.")
NO_CAMERA = RefusalReason("InvalidArgument", "There is no third-party camera {what}.")


@dataclass(frozen=True, slots=True)
class FreeCamera:
    """A camera that no agent carries; ``size`` is half an orthographic view's height in metres, else 0."""

    position: Vector = (0.0, 0.0, 0.0)
    rotation: Vector = (0.0, 0.0, 0.0)
    field_of_view: float = 90.0
    size: float = 0.0

    def camera(self, width: int, height: int) -> Camera:
        """Return the camera that draws it; a roll about the line of sight is left out."""
        tilt, turn, _ = self.rotation
        plain = Camera(self.position, turn, tilt, self.field_of_view, width, height)
        if not self.size:
            return plain
        forward = plain.axes()[2]
        x, y, z = (p - FAR_AWAY * float(f) for p, f in zip(self.position, forward, strict=True))
        angle = float(np.degrees(2 * np.arctan(self.size / FAR_AWAY)))
        return Camera((x, y, z), turn, tilt, round(angle, 9), width, height)

    def describe(self, number: int) -> Json:
        """Return AI2-THOR's metadata of it."""
        return {
            "thirdPartyCameraId": number,
            "position": axes(self.position),
            "rotation": axes(self.rotation),
            "fieldOfView": self.field_of_view,
        }

    def changed(self, call: SimulatorAction) -> FreeCamera:
        """Return it with what a call names changed.

        Raises:
            Refusal: A value is of the wrong type, or no camera can have it.
        """
        angle = number(call, "fieldOfView", self.field_of_view) or self.field_of_view
        other = replace(
            self,
            position=vector(call, "position", self.position),
            rotation=vector(call, "rotation", self.rotation),
            field_of_view=angle,
        )
        if flag(call, "orthographic"):
            other = replace(other, size=number(call, "orthographicSize", self.size or 5.0))
        try:
            other.camera(1, 1)
        except UsageError:
            raise bad(call, "fieldOfView", angle) from None
        return other


def map_camera(scene: Scene) -> FreeCamera:
    """Return the orthographic camera that looks down on a whole room, north up."""
    west, _, south, east, top, north = bounds(scene)
    half = max(east - west, north - south) / 2 + FRINGE
    return FreeCamera(((west + east) / 2, top, (south + north) / 2), (90.0, 0.0, 0.0), size=half)


def map_properties(scene: Scene) -> Json:
    """Return what AI2-THOR's GetMapViewCameraProperties tells of that camera."""
    camera = map_camera(scene)
    return {
        "position": axes(camera.position),
        "rotation": axes(camera.rotation),
        "orthographicSize": camera.size,
        "orthographic": True,
    }


def scene_bounds(scene: Scene) -> Json:
    """Return the box that the walls, floor and ceiling of a room make."""
    west, floor, south, east, top, north = bounds(scene)
    return {
        "center": {"x": (west + east) / 2, "y": (floor + top) / 2, "z": (south + north) / 2},
        "size": {"x": east - west, "y": top - floor, "z": north - south},
        "cornerPoints": [[x, y, z] for x in (west, east) for y in (floor, top) for z in (south, north)],
    }


def picture_sides(call: SimulatorAction, names: tuple[str, str], now: tuple[int, int]) -> tuple[int, int]:
    """Return the pixels of a picture's sides: those that a call names, the others as they are.

    Raises:
        Refusal: No such picture can be drawn.
    """
    sides = [number(call, name, old) for name, old in zip(names, now, strict=True)]
    if any(not 1 <= side <= LARGEST or side != int(side) for side in sides):
        raise Refusal(SIZE, action=call.action, what=" x ".join(f"{side:g}" for side in sides), most=LARGEST)
    return int(sides[0]), int(sides[1])


# The pictures of a frame in AI2-THOR's form fields, and the colours of its segmentations.


Colour: TypeAlias = tuple[int, int, int]

PICTURES = {
    "image": ("renderImage",),
    "image_depth": ("renderDepthImage",),
    "image_ids": ("renderInstanceSegmentation", "renderObjectImage"),
    "image_classes": ("renderSemanticSegmentation", "renderClassImage"),
    "image_normals": ("renderNormalsImage",),
    "image_flow": ("renderFlowImage",),
}
"""The pictures that a client can ask for, and the arguments by which it does."""

THIRD_PARTY = {
    "image": "image-thirdParty-camera",
    "image_depth": "image_thirdParty_depth",
    "image_ids": "image_thirdParty_image_ids",
    "image_classes": "image_thirdParty_classes",
    "image_normals": "image_thirdParty_normals",
    "image_flow": "image_thirdParty_flow",
}
"""The form field of a third-party camera's picture."""


def colour_of(name: str) -> Colour:
    """Return the colour of an instance or class in segmentations: the same in all processes."""
    value = crc32(name.encode())
    return value & 255, value >> 8 & 255, value >> 16 & 255


def show(field: str, frame: Frame) -> NDArray[np.generic]:
    """Return the picture of one of AI2-THOR's form fields; that of normals and of flow is black."""
    if field == "image":
        return frame.rgb
    if field == "image_depth":
        return frame.depth
    if field in ("image_ids", "image_classes"):
        names = frame.names if field == "image_ids" else [name.split("|")[0] for name in frame.names]
        palette = np.array([*map(colour_of, names), (0, 0, 0)], np.uint8)
        return cast("NDArray[np.generic]", palette[frame.instances])
    return np.zeros_like(frame.rgb)


def black(field: str, width: int, height: int) -> NDArray[np.generic]:
    """Return a field's picture where nothing could be drawn."""
    if field == "image_depth":
        return np.zeros((height, width), np.float32)
    return np.zeros((height, width, 3), np.uint8)


def colours_by_name(names: tuple[str, ...]) -> list[Json]:
    """Return the colours of all instances and classes, as the metadata tell them."""
    classes = sorted({name.split("|")[0] for name in names})
    return [{"name": name, "color": list(colour_of(name))} for name in (*names, *classes)]


def colour_bounds(frame: Frame) -> list[Json]:
    """Return the boxes of all instances that are seen: [left, bottom, right, top], rows from the bottom."""
    height, width = frame.instances.shape
    flat = frame.instances.reshape(-1)
    begins = np.flatnonzero(np.diff(flat, prepend=-2) != 0)  # of runs of one instance, cut where rows end
    begins = np.union1d(begins, np.arange(height) * width)
    ends = np.append(begins[1:], flat.size) - 1
    order = np.argsort(flat[begins], kind="stable")
    seen, firsts = np.unique(flat[begins][order], return_index=True)
    begins, ends = begins[order], ends[order]
    left, right = np.minimum.reduceat(begins % width, firsts), np.maximum.reduceat(ends % width, firsts)
    top, bottom = np.minimum.reduceat(begins // width, firsts), np.maximum.reduceat(begins // width, firsts)
    boxes = np.stack((left, height - 1 - bottom, right + 1, height - top), axis=1)
    return [
        {"color": list(colour_of(frame.names[instance])), "bounds": box}
        for instance, box in zip(seen.tolist(), boxes.tolist(), strict=True)
        if instance >= 0
    ]


# Random looks: RandomizeMaterials and RandomizeColors tint things and walls, RandomizeLighting the light.


PALEST, DARKEST = 1.3, 0.5
"""By how much a tint makes each colour stronger or weaker."""


@dataclass(frozen=True, slots=True)
class Appearance:
    """How pictures differ from what rooms are made of.

    Attributes:
        tint: What the tints of things follow from, or None where they have none.
        plain: Ids of things without a tint.
        light: The factors of red, green and blue.
    """

    tint: int | None = None
    plain: tuple[str, ...] = ()
    light: Vector = (1.0, 1.0, 1.0)

    def draw_over(self, frame: Frame) -> Frame:
        """Return a picture with these looks; depths and instances are the same."""
        if self == Appearance():
            return frame
        factors = np.ones((len(frame.names) + 1, 3))
        for place, name in enumerate(frame.names):
            if self.tint is not None and name not in self.plain:
                factors[place] = np.random.default_rng([self.tint, crc32(name.encode())]).uniform(DARKEST, PALEST, 3)
        rgb = np.clip(frame.rgb * factors[frame.instances] * np.array(self.light), 0, 255)
        return replace(frame, rgb=rgb.astype(np.uint8))

    def with_tints(self, call: SimulatorAction, dice: np.random.Generator) -> Appearance:
        """Return the looks with other tints, but for things that the call excludes."""
        plain = tuple(map(str, several(call, "excludedObjectIds", ())))
        return replace(self, tint=int(dice.integers(1 << 31)), plain=plain)

    def with_light(self, call: SimulatorAction, dice: np.random.Generator) -> Appearance:
        """Return the looks in another light: its ``brightness``, ``hue`` and ``saturation`` between two numbers each.

        Raises:
            Refusal: One is no pair of numbers, the lesser first.
        """
        bright, hue, strong = (
            dice.uniform(*_pair(call, *usual))
            for usual in (("brightness", 0.5, 1.5), ("hue", 0.0, 1.0), ("saturation", 0.5, 1.0))
        )
        tint = (
            colorsys.hsv_to_rgb(hue % 1.0, min(strong, 1.0), 1.0) if flag(call, "randomizeColor", True) else (1, 1, 1)
        )
        return replace(self, light=(bright * tint[0], bright * tint[1], bright * tint[2]))


def _pair(call: SimulatorAction, name: str, low: float, high: float) -> tuple[float, float]:
    told = several(call, name, (low, high))
    match list(told):
        case [int() | float() as least, int() | float() as most] if 0 <= least <= most:
            return least, most
    raise bad(call, name, told)


# Several agents in one room: each has a body with a hand; one of them acts at a time.


TURNS = ("RotateLeft", "RotateRight")


@dataclass(frozen=True, slots=True)
class ActionNoise:
    """By how much steps and turns differ from what is asked for: in the middle, and as a standard deviation."""

    move: tuple[float, float] = (0.0, 0.0)
    turn: tuple[float, float] = (0.0, 0.0)

    @classmethod
    def of_call(cls, call: SimulatorAction) -> ActionNoise | None:
        """Return the noise that Initialize asks for, if there is any."""
        move = number(call, "movementGaussianMu"), number(call, "movementGaussianSigma")
        turn = number(call, "rotateGaussianMu"), number(call, "rotateGaussianSigma")
        return cls(move, turn) if any((*move, *turn)) and flag(call, "applyActionNoise", default=True) else None

    def vary(self, call: SimulatorAction, usual: float, dice: np.random.Generator) -> SimulatorAction:
        """Return a step or turn as it comes out; ``usual`` is how far it goes where the call does not say."""
        name, noise = ("degrees", self.turn) if call.action in TURNS else ("moveMagnitude", self.move)
        far = number(call, name) or usual
        return SimulatorAction(call.action, {**call.arguments, name: round(far + float(dice.normal(*noise)), 6)})


NO_AGENT = RefusalReason("InvalidArgument", "There is no agent {what}: the last one is agent {last}.")

NEAREST = 0.5
"""Metres from the others within which no agent begins."""


@dataclass(frozen=True, slots=True)
class Body:
    """Where an agent stands and looks, and what it holds; units and meaning as in ``Room``."""

    x: float
    z: float
    rotation: float
    horizon: float
    standing: bool = True
    holding: str | None = None
    stretched: Vector = (0.0, 0.0, 0.0)


class AgentBodies:
    """The agents of a room by their numbers. The room is told who acts, and knows the others as bystanders."""

    def __init__(self, room: Room, count: int) -> None:
        """Let agents join the one that is there: each at the first standing point that is far enough from all.

        Raises:
            ValueError: The room has no place for so many.
        """
        self.room = room
        self.acting = 0
        self._bodies = [_body_of(room)]
        for _ in range(count - 1):
            point = next((each for each in room.origin.grid if self._free(each)), None)
            if point is None:
                raise ValueError(f"{room.origin.name} has no place for {count} agents")
            self._bodies.append(Body(*point, 0.0, 0.0))
        self.act(0)

    def __len__(self) -> int:
        return len(self._bodies)

    def choose(self, call: SimulatorAction) -> bool:
        """Let the agent act that a call names as ``agentId``, else the first; return whether that is another.

        Raises:
            Refusal: There is no such agent.
        """
        wanted = number(call, "agentId")
        if wanted not in range(len(self)):
            raise Refusal(NO_AGENT, what=f"{wanted:g}", last=len(self) - 1)
        other = wanted != self.acting
        self.act(int(wanted))
        return other

    def act(self, number: int) -> None:
        """Let an agent act from now on."""
        room = self.room
        if len(self._bodies) == 1:
            return
        self._bodies[self.acting] = _body_of(room)
        self.acting = number
        body = self._bodies[number]
        room.x, room.z, room.rotation, room.horizon = body.x, body.z, body.rotation, body.horizon
        holding = body.holding if body.holding in room.objects else None
        room.standing, room.holding, room.stretched = body.standing, holding, body.stretched
        others = [each for place, each in enumerate(self._bodies) if place != number]
        room.carried = frozenset(each.holding for each in others if each.holding in room.objects)
        room.walkable = room.grid - frozenset(point for each in others for point in points_around(each.x, each.z))
        room.bystanders = tuple(
            Bystander(f"agent_{place}", _pose(each)) for place, each in enumerate(self._bodies) if place != number
        )

    def _free(self, point: Point) -> bool:
        return all(
            abs(each.x - point[0]) * GRID >= NEAREST or abs(each.z - point[1]) * GRID >= NEAREST
            for each in self._bodies
        )


def _body_of(room: Room) -> Body:
    return Body(room.x, room.z, room.rotation, room.horizon, room.standing, room.holding, room.stretched)


def _pose(body: Body) -> Pose:
    return Pose(round(body.x), round(body.z), round(body.rotation / 90) % 4, round(body.horizon))
