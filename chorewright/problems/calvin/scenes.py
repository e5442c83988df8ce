"""The four tables of CALVIN as scenes: joints, fixtures, surfaces, blocks and cameras, from a data file.

All lengths are metres in the world's frame: x to the right as the robot sees the table, y away from the
robot, z up. (CALVIN's environment, ``calvin_scene_A`` to ``calvin_scene_D``, origins scaled by 0.8.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from chorewright.errors import InputError, Location, UsageError
from chorewright.files.english import did_you_mean
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


# Symbolic states of the table, the 192 initial states of CALVIN's evaluation, and their numbers.
#
# A state has the eight variables that tasks need and change. ``concrete`` returns an initial state as the vectors
# ``robot_obs`` and ``scene_obs`` to which the environment is reset.

Numbers = npt.NDArray[np.float64]

COLOURS = ("red", "blue", "pink")
"""The colours of the blocks, in the order of a state's variables."""

PLACES = ("table", "slider_right", "slider_left", "drawer", "grasped", "stacked_top", "stacked_bottom")
"""Where a block may be. ``table`` is on the table outside any stack."""

VALUES: Mapping[str, tuple[int | str, ...]] = {
    "led": (0, 1),
    "lightbulb": (0, 1),
    "slider": ("right", "left"),
    "drawer": ("closed", "open"),
    **{f"{colour}_block": PLACES for colour in COLOURS},
    "grasped": (0, 1),
}
"""The variables of a state, in CALVIN's order, and their values."""

BLOCK_HEIGHT = 0.04
STEP_ASIDE = 0.085
"""Metres between two blocks in the same place."""
YAWS = (np.pi / 2 - np.pi / 8, np.pi / 2 + np.pi / 8)
"""How blocks are turned at the start of an evaluation, in radians."""


@dataclass(frozen=True, slots=True)
class TabletopState:
    """A symbolic state; the fields are CALVIN's variables in CALVIN's order.

    ``slider`` says where the door stands (at the ``right`` it covers the right compartment and leaves the
    left one open), ``grasped`` whether the hand holds a block.
    """

    led: int = 0
    lightbulb: int = 0
    slider: str = "right"
    drawer: str = "closed"
    red_block: str = "table"
    blue_block: str = "table"
    pink_block: str = "table"
    grasped: int = 0

    @property
    def blocks(self) -> dict[str, str]:
        """Where each block is, by ``red_block``, ``blue_block`` and ``pink_block``."""
        return {"red_block": self.red_block, "blue_block": self.blue_block, "pink_block": self.pink_block}

    def record(self) -> dict[str, int | str]:
        """The state in CALVIN's form: its variables and their values, in order."""
        return asdict(self)

    def __str__(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.record().items())


Locate: TypeAlias = Callable[[str], Location | None]


def _nowhere(name: str) -> Location | None:
    return Location(json_path=f"$.{name}" if name else "$")


def state_of_record(record: Mapping[str, object], locate: Locate = _nowhere, partial: bool = False) -> TabletopState:
    """Return the state that a mapping of variables describes, checked.

    Args:
        record: Values by variable.
        locate: Where a variable (or, for no name, the record) stands, for errors.
        partial: Whether variables may be left out. They then take the value of the plain state: lights out,
            door right, drawer closed, blocks on the table, ``grasped`` as the blocks say.

    Raises:
        InputError: A variable or value is unknown or missing, or no table can be in this state.
    """
    for name, value in record.items():
        known = VALUES.get(name)
        if known is None:
            hint = did_you_mean(str(name), VALUES) or f"variables are {', '.join(VALUES)}"
            raise InputError(f"a state has no variable {name!r}", location=locate(name), hint=hint)
        if not any(value == each and type(value) is type(each) for each in known):
            close = did_you_mean(str(value), [str(each) for each in known])
            hint = close or f"its values are {', '.join(map(str, known))}"
            raise InputError(f"{name} cannot be {value!r}", location=locate(name), hint=hint)
    missing = [name for name in VALUES if name not in record]
    if missing and not partial:
        raise InputError(f"the state lacks {', '.join(missing)}", location=locate(""))
    given = {**TabletopState().record(), **record}
    if "grasped" not in record:
        given["grasped"] = int("grasped" in (given[f"{colour}_block"] for colour in COLOURS))
    state = record_of(TabletopState, given)
    wrong = _contradiction(state)
    if wrong:
        raise InputError(f"no table can be in this state: {wrong}", location=locate(""))
    return state


def _contradiction(state: TabletopState) -> str:
    """Say why no table can be in a state; empty if one can."""
    count = {place: list(state.blocks.values()).count(place) for place in PLACES}
    if count["grasped"] != state.grasped:
        return f"grasped is {state.grasped}, but {count['grasped']} blocks are grasped"
    if count["stacked_top"] != count["stacked_bottom"] or count["stacked_top"] > 1:
        return "a stack is one block that is stacked_top and one that is stacked_bottom"
    return ""


def parse_state(text: str) -> TabletopState:
    """Return the state of ``led=1,drawer=open,red_block=drawer``; other variables are as in the plain state.

    Raises:
        UsageError: The text is malformed, or no table can be in this state.
    """
    record: dict[str, object] = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        name, sign, value = (each.strip() for each in part.partition("="))
        if not sign or not value:
            hint = "write NAME=VALUE,NAME=VALUE, for example led=1,drawer=open"
            raise UsageError(f"{part!r} is not a variable of a state and its value", hint=hint)
        if name in record:
            raise UsageError(f"the variable {name!r} is given twice")
        record[name] = int(value) if value in ("0", "1") else value
    try:
        return state_of_record(record, partial=True)
    except InputError as error:
        raise UsageError(error.message, hint=error.hint) from None


_PLACES = ("table", "slider_right", "slider_left")
_INITIAL = tuple(
    TabletopState(led, lightbulb, slider, drawer, red, blue, pink)
    for led, lightbulb, slider, drawer in product((0, 1), (0, 1), ("right", "left"), ("closed", "open"))
    for red, blue, pink in product(_PLACES, repeat=3)
    if 1 <= (red, blue, pink).count("table") <= 2 and max(map((red, blue, pink).count, _PLACES[1:])) <= 1
)


def initial_states() -> tuple[TabletopState, ...]:
    """Return the 192 initial states of CALVIN's evaluation, in its order.

    One or two blocks lie on the table, the others in compartments, at most one in each.
    """
    return _INITIAL


def state_seed(state: TabletopState) -> int:
    """Return the seed with which CALVIN's evaluation draws the numbers that a symbolic state leaves open.

    It is the 32-bit FNV-1 hash, with initial value 0, of how Python prints the values of the state's dict;
    pyhash reads the text as UTF-16-LE.
    """
    text = f"dict_values({list(state.record().values())!r})"
    found = 0
    for byte in text.encode("utf-16-le"):
        found = (found * 0x01000193) % 2**32 ^ byte
    return found


def concrete(state: TabletopState, scene: TabletopScene) -> tuple[Numbers, Numbers]:
    """Return ``robot_obs`` (15,) and ``scene_obs`` (24,) with which CALVIN's evaluation starts in a state.

    For the 192 initial states and scene D these are the published numbers. Other scenes have the same draws
    at their own places; other states put their blocks in stacks, in the drawer, or beside one another.

    Raises:
        InputError: A block is grasped: no reset can put one into the hand.
    """
    if state.grasped:
        raise InputError("a table cannot start with a block in the hand", hint="start with grasped=0")
    # The published numbers come from numpy's legacy generator, seeded by the state itself.
    rng = np.random.RandomState(state_seed(state))
    spots = list(scene.table_spots)
    order = list(range(len(spots)))
    rng.shuffle(order)
    spots = [spots[number] for number in order]
    yaws = {f"block_{colour}": float(rng.uniform(*YAWS)) for colour in COLOURS}
    places = _places(state, scene, spots)
    joints = scene.joints
    found = np.zeros(24)
    found[0] = joints["base__slide"].high if state.slider == "left" else 0.0
    found[1] = joints["base__drawer"].high if state.drawer == "open" else 0.0
    found[3] = joints["base__switch"].high if state.lightbulb else 0.0
    found[4:6] = state.lightbulb, state.led
    for number, block in enumerate(scene.blocks):
        start = 6 + 6 * number
        found[start : start + 3] = places[block.name]
        found[start + 5] = yaws[block.name]
    return np.array(scene.robot_obs), found


def _places(state: TabletopState, scene: TabletopScene, spots: list[Vector]) -> dict[str, Vector]:
    """Return where each block is put, by its name in the scene; a block goes aside for another one."""
    found: dict[str, Vector] = {}
    taken: dict[str, int] = {}
    supported = [name for name, place in state.blocks.items() if place in ("table", "stacked_bottom")]
    for name, place in state.blocks.items():
        before = taken.get(place, 0)
        taken[place] = before + 1
        if name in supported:
            found[name] = _table_spot(name, supported, spots)
        elif place == "drawer":
            open_by = scene.joints["base__drawer"].high if state.drawer == "open" else 0.0
            x, y, z = scene.drawer_spot
            found[name] = (x + (0.0, STEP_ASIDE, -STEP_ASIDE)[before], y - open_by, z)
        elif place in scene.compartment_spots:
            x, y, z = scene.compartment_spots[place]
            inwards = STEP_ASIDE if place == "slider_left" else -STEP_ASIDE
            found[name] = (x + (0.0, inwards, -inwards)[before], y, z)
    for name, place in state.blocks.items():
        if place == "stacked_top":
            [below] = [each for each, where in state.blocks.items() if where == "stacked_bottom"]
            x, y, z = found[below]
            found[name] = (x, y, z + BLOCK_HEIGHT)
    return {f"block_{name.removesuffix('_block')}": place for name, place in found.items()}


def _table_spot(name: str, supported: list[str], spots: list[Vector]) -> Vector:
    """Return the spot of a block on the table: CALVIN's rule for two, the middle between them for a third."""
    first, second, third = (f"{colour}_block" for colour in COLOURS)
    if name == first or (name == second and first not in supported):
        return spots[0]
    if name == third and {first, second} <= set(supported):
        (x, y, z), (other, _, _) = spots
        return ((x + other) / 2, y, z)
    return spots[1]
