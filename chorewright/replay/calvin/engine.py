"""The bodies of a tabletop world: what is loaded into PyBullet, and what each body and link is called."""

from __future__ import annotations

import contextlib
import os
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from chorewright.files.plugins import require_extra
from chorewright.files.processes import redirect_descriptor
from chorewright.problems.calvin.scenes import SceneBlock, TabletopScene
from chorewright.replay.calvin.shapes import LinkShape, TableLink, geometry, table_links
from chorewright.replay.calvin.snapshot import ROBOT

# What the physics engine loads: the table's and the arm's URDF, written from our primitives.
#
# The arm is the Franka Panda of PyBullet's own data, with longer fingers of ours and the frame ``tcp`` between
# their tips, 14 cm below the hand, as on CALVIN's arm.


FINGERS = ("panda_leftfinger", "panda_rightfinger")


def table_urdf(links: Iterable[TableLink]) -> str:
    """Return a table's URDF; the first link carries all others."""
    robot = ElementTree.Element("robot", name="table")
    base: TableLink | None = None
    for link in links:
        _link(robot, link)
        if base is None:
            base = link
            continue
        name, joint = link.joint or (link.name.replace("_link", "_fixed"), None)
        kind = "prismatic" if joint else "fixed"
        element = ElementTree.SubElement(robot, "joint", name=name, type=kind)
        ElementTree.SubElement(element, "parent", link=base.name)
        ElementTree.SubElement(element, "child", link=link.name)
        ElementTree.SubElement(element, "origin", xyz=_numbers(link.origin))
        if joint:
            ElementTree.SubElement(element, "axis", xyz=_numbers(joint.direction))
            limits = {"lower": f"{joint.low:.17g}", "upper": f"{joint.high:.17g}"}
            ElementTree.SubElement(element, "limit", {**limits, "effort": "0", "velocity": "0"})
    ElementTree.indent(robot)  # PyBullet cannot read long lines
    return ElementTree.tostring(robot, encoding="unicode")


def arm_urdf(panda: Path) -> str:
    """Return the arm's URDF.

    Args:
        panda: The folder of PyBullet's Franka Panda, with ``panda.urdf`` and ``meshes``.
    """
    arm = geometry()["arm"]
    robot = ElementTree.parse(panda / "panda.urdf").getroot()
    for mesh in robot.iter("mesh"):
        mesh.set("filename", str(panda / mesh.get("filename", "").removeprefix("package://")))
    for link in robot.findall("link"):
        if link.get("name") in FINGERS:
            _own_finger(link, 1.0 if link.get("name") == FINGERS[0] else -1.0)
    _inertial(ElementTree.SubElement(robot, "link", name="tcp"), 0.0)
    joint = ElementTree.SubElement(robot, "joint", name="tcp_joint", type="fixed")
    ElementTree.SubElement(joint, "parent", link="panda_hand")
    ElementTree.SubElement(joint, "child", link="tcp")
    ElementTree.SubElement(joint, "origin", xyz=_numbers((0.0, 0.0, arm["tcp"])))
    ElementTree.indent(robot)
    return ElementTree.tostring(robot, encoding="unicode")


def _own_finger(link: ElementTree.Element, side: float) -> None:
    finger = geometry()["arm"]["finger"]
    size = (finger["width"], finger["thickness"], finger["length"])
    position = (0.0, side * (finger["thickness"] / 2 - finger["inwards"]), finger["length"] / 2)
    for kind in ("visual", "collision"):
        for each in link.findall(kind):
            link.remove(each)
        _primitive(link, kind, LinkShape("box", size, position, 0.0, (0.9, 0.9, 0.9)))


def _link(robot: ElementTree.Element, link: TableLink) -> None:
    element = ElementTree.SubElement(robot, "link", name=link.name)
    _inertial(element, link.mass)
    for shape in link.shapes:
        _primitive(element, "collision", shape)


def _inertial(element: ElementTree.Element, mass: float) -> None:
    """Give a link its mass; its moments do not matter, for no link of ours turns."""
    inertial = ElementTree.SubElement(element, "inertial")
    ElementTree.SubElement(inertial, "mass", value=f"{mass:.17g}")
    moment = f"{0.01 * mass:.17g}"
    moments = {"ixx": moment, "iyy": moment, "izz": moment, "ixy": "0", "ixz": "0", "iyz": "0"}
    ElementTree.SubElement(inertial, "inertia", moments)


def _primitive(link: ElementTree.Element, kind: str, shape: LinkShape) -> None:
    element = ElementTree.SubElement(link, kind)
    turn = _numbers((shape.lean, 0.0, 0.0))
    ElementTree.SubElement(element, "origin", xyz=_numbers(shape.position), rpy=turn)
    solid = ElementTree.SubElement(element, "geometry")
    if shape.kind == "box":
        ElementTree.SubElement(solid, "box", size=_numbers(shape.size))
    else:
        radius, _, length = shape.size
        ElementTree.SubElement(solid, "cylinder", radius=f"{radius:.17g}", length=f"{length:.17g}")


def _numbers(values: Iterable[float]) -> str:
    return " ".join(f"{value:.17g}" for value in values)


TABLE, FLOOR = "table", "floor"
TIME_STEP = 1 / 240
GRAVITY = -9.8
TOOL = "tcp"
STDERR = 2


@dataclass(frozen=True, slots=True)
class Bodies:
    """The numbers under which PyBullet knows everything.

    Attributes:
        bullet: The module.
        client: Number of the physics client; every call names it.
        arm: The arm's body; ``arm_joints`` its seven joints, ``fingers`` the two of the hand, ``tool`` the
            link between the finger tips.
        table: The table's body; ``joints`` its joints by name.
        blocks: The blocks' bodies by name.
        names: Name of each body.
        links: Name of each link of each body; -1 is its base.
    """

    bullet: ModuleType
    client: int
    arm: int
    arm_joints: tuple[int, ...]
    fingers: tuple[int, ...]
    tool: int
    table: int
    joints: Mapping[str, int]
    blocks: Mapping[str, int]
    names: Mapping[int, str]
    links: Mapping[int, Mapping[int, str]]


def has_engine() -> bool:
    """Return whether the module ``pybullet`` is installed."""
    return find_spec("pybullet") is not None


def engine() -> ModuleType:
    """Return the module ``pybullet``.

    Raises:
        MissingExtra: It is not installed.
    """
    with require_extra("the tabletop's physics needs PyBullet, which is not installed", "calvin"), _mute():
        return import_module("pybullet")


@contextlib.contextmanager
def _mute() -> Iterator[None]:
    """Keep from the terminal what PyBullet's library says of itself when it is loaded."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        with redirect_descriptor(STDERR, nowhere):
            yield
    finally:
        os.close(nowhere)


def load_bodies(scene: TabletopScene) -> Bodies:
    """Connect a new client and load a scene's table, the arm, the blocks and the floor into it.

    Raises:
        MissingExtra: PyBullet is not installed.
    """
    bullet = engine()
    panda = Path(import_module("pybullet_data").getDataPath()) / "franka_panda"
    client = bullet.connect(bullet.DIRECT)
    bullet.setPhysicsEngineParameter(deterministicOverlappingPairs=1, physicsClientId=client)
    bullet.setTimeStep(TIME_STEP, physicsClientId=client)
    bullet.setGravity(0, 0, GRAVITY, physicsClientId=client)
    arm = _load(bullet, client, arm_urdf(panda), geometry()["arm"]["base"])
    blocks = {block.name: _block(bullet, client, block, scene) for block in scene.blocks}
    table = _load(bullet, client, table_urdf(table_links(scene)), (0.0, 0.0, 0.0))
    plane = bullet.createCollisionShape(bullet.GEOM_PLANE, physicsClientId=client)
    floor = bullet.createMultiBody(baseCollisionShapeIndex=plane, physicsClientId=client)
    named = {arm: ROBOT, table: TABLE, floor: FLOOR} | {body: name for name, body in blocks.items()}
    links, joints = {}, {}
    for body in named:
        links[body], joints[body] = _parts(bullet, client, body)
    fingers = tuple(number for number, name in links[arm].items() if name in FINGERS)
    _couple(bullet, client, arm, fingers)
    return Bodies(
        bullet=bullet,
        client=client,
        arm=arm,
        arm_joints=tuple(joints[arm][f"panda_joint{number}"] for number in range(1, 8)),
        fingers=fingers,
        tool=next(number for number, name in links[arm].items() if name == TOOL),
        table=table,
        joints=joints[table],
        blocks=blocks,
        names=named,
        links=links,
    )


def _load(bullet: ModuleType, client: int, urdf: str, position: tuple[float, float, float]) -> int:
    with tempfile.TemporaryDirectory(prefix="chorewright-") as folder:
        path = Path(folder) / "body.urdf"
        path.write_text(urdf, encoding="utf-8")
        body: int = bullet.loadURDF(str(path), basePosition=position, useFixedBase=True, physicsClientId=client)
    return body


def _block(bullet: ModuleType, client: int, block: SceneBlock, scene: TabletopScene) -> int:
    half = [length / 2 for length in block.lengths]
    shape = bullet.createCollisionShape(bullet.GEOM_BOX, halfExtents=half, physicsClientId=client)
    body: int = bullet.createMultiBody(baseMass=scene.block_mass, baseCollisionShapeIndex=shape, physicsClientId=client)
    bullet.changeDynamics(body, -1, lateralFriction=scene.block_friction, physicsClientId=client)
    return body


def _parts(bullet: ModuleType, client: int, body: int) -> tuple[dict[int, str], dict[str, int]]:
    """Names of the links by number, and numbers of the joints by name."""
    base = bullet.getBodyInfo(body, physicsClientId=client)[0].decode() or "base_link"
    links, joints = {-1: base}, {}
    for number in range(bullet.getNumJoints(body, physicsClientId=client)):
        info = bullet.getJointInfo(body, number, physicsClientId=client)
        links[number] = info[12].decode()
        joints[info[1].decode()] = number
    return links, joints


def _couple(bullet: ModuleType, client: int, arm: int, fingers: tuple[int, ...]) -> None:
    """Keep the fingers at equal distance from the middle of the hand."""
    gear = bullet.createConstraint(
        arm,
        fingers[0],
        arm,
        fingers[1],
        jointType=bullet.JOINT_GEAR,
        jointAxis=[1, 0, 0],
        parentFramePosition=[0, 0, 0],
        childFramePosition=[0, 0, 0],
        physicsClientId=client,
    )
    bullet.changeConstraint(gear, gearRatio=-1, erp=0.1, maxForce=50, physicsClientId=client)
