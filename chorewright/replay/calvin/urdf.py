"""What the physics engine loads: the table's and the arm's URDF, written from our primitives.

The arm is the Franka Panda of PyBullet's own data, with longer fingers of ours and the frame ``tcp`` between
their tips, 14 cm below the hand, as on CALVIN's arm.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from pathlib import Path

from chorewright.replay.calvin.shapes import Shape, TableLink, geometry

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
        _primitive(link, kind, Shape("box", size, position, 0.0, (0.9, 0.9, 0.9)))


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


def _primitive(link: ElementTree.Element, kind: str, shape: Shape) -> None:
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
