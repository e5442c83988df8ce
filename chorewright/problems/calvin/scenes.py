"""The four tables of CALVIN as scenes: joints, fixtures, surfaces, blocks and cameras, from a data file.

All lengths are metres in the world's frame: x to the right as the robot sees the table, y away from the
robot, z up. (CALVIN's environment, ``calvin_scene_A`` to ``calvin_scene_D``, origins scaled by 0.8.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from chorewright.errors import UsageError
from chorewright.files.records import reader_of, record_of

Vector = tuple[float, float, float]

SCENES = ("A", "B", "C", "D")
"""The names of the scenes; CALVIN's own are ``calvin_scene_A`` and so on."""


@dataclass(frozen=True, slots=True)
class Joint:
    """A sliding joint: where it is at 0, the direction of its positive motion, and its range."""

    origin: Vector
    direction: Vector
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class SceneBlock:
    """A block: its name in the environment and its size.

    Attributes:
        name: ``block_red``, ``block_blue`` or ``block_pink``.
        size: ``small``, ``middle`` or ``big``.
        lengths: Its edges along its own x, y and z.
    """

    name: str
    size: str
    lengths: Vector


@dataclass(frozen=True, slots=True)
class TableCamera:
    """A pinhole camera with a square picture; one without a position is carried by the hand.

    Attributes:
        fov: Opening angle in degrees.
        size: Edge of the picture in pixels.
    """

    fov: float
    near: float
    far: float
    size: int
    position: Vector | None = None
    target: Vector | None = None
    up: Vector | None = None


@dataclass(frozen=True, slots=True)
class TabletopScene:
    """One of the four tables.

    Attributes:
        name: ``A``, ``B``, ``C`` or ``D``.
        joints: ``base__button``, ``base__switch``, ``base__slide`` and ``base__drawer``.
        fixtures: Where the ``led``, the ``lightbulb`` and the middle of the ``plank`` are.
        surfaces: The boxes (two corners) in which the environment scatters blocks: ``table``,
            ``slider_left`` and ``slider_right``.
        table_spots: The two places on the table of the evaluation's initial states.
        compartment_spots: The place in each compartment behind the door, ``slider_left`` and
            ``slider_right``. (Those of D are published; those of the others lie alike beside their plank.)
        drawer_spot: A place in the closed drawer; it moves with the drawer.
        blocks: The blocks in the order of ``scene_obs``, which differs between scenes.
        block_mass: Kilograms.
        table_top: Height of the table.
        textures: The environment's texture of each link of the table.
        cameras: ``static`` and ``gripper``.
        robot_obs: The arm's 15 numbers at the start of an evaluation: position (3), Euler angles (3) and
            opening of the hand, seven joints, command of the gripper.
    """

    name: str
    joints: Mapping[str, Joint]
    fixtures: Mapping[str, Vector]
    surfaces: Mapping[str, tuple[Vector, Vector]]
    table_spots: tuple[Vector, Vector]
    compartment_spots: Mapping[str, Vector]
    drawer_spot: Vector
    blocks: tuple[SceneBlock, ...]
    block_mass: float
    block_friction: float
    table_top: float
    textures: Mapping[str, str]
    cameras: Mapping[str, TableCamera]
    robot_obs: tuple[float, ...]

    @property
    def full_name(self) -> str:
        """The name in CALVIN's files, for example ``calvin_scene_D``."""
        return f"calvin_scene_{self.name}"


def scene(name: str) -> TabletopScene:
    """Return a scene by ``A`` to ``D`` or by CALVIN's name, such as ``calvin_scene_D``.

    Raises:
        UsageError: There is no such scene.
    """
    letter = name.removeprefix("calvin_scene_").upper()
    if letter not in SCENES:
        hint = f"scenes are {', '.join(SCENES)} or calvin_scene_A to calvin_scene_D"
        raise UsageError(f"there is no scene {name!r}", hint=hint)
    return _scenes()[letter]


@lru_cache(maxsize=1)
def _scenes() -> Mapping[str, TabletopScene]:
    record = reader_of(dict[str, Any], "chorewright.problems", "data/tabletop_scenes.json")()
    scenes = {name: {**record["shared"], **entry, "name": name} for name, entry in record["scenes"].items()}
    return record_of(dict[str, TabletopScene], scenes)
