"""The tabletop behind the ``Simulator`` protocol: set to a start, moved by commands, read as symbols and pictures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from chorewright.domains.pddl.syntax import State
from chorewright.errors import UsageError
from chorewright.problems.calvin.scenes import TabletopScene
from chorewright.problems.calvin.states import COLOURS, TabletopState, concrete
from chorewright.problems.calvin.tasks import atoms_of
from chorewright.replay.calvin.actions import Numbers
from chorewright.replay.calvin.pictures import CAMERAS, TabletopRenderer
from chorewright.replay.calvin.snapshot import ROBOT, Block, Snapshot
from chorewright.replay.calvin.world import TabletopWorld
from chorewright.replay.simulator import Event, Frame, Observation, SimulatorAction

ACT = "act"
"""The one action: its argument ``command`` has one of the forms of ``actions``."""


@dataclass(frozen=True, slots=True, eq=False)
class TabletopStart:
    """Where the table begins.

    Attributes:
        scene: The table.
        robot_obs: (15,) CALVIN's numbers of the arm; the scene's own without them.
        scene_obs: (24,) CALVIN's numbers of the table; all shut and the blocks on their spots without them.
    """

    scene: TabletopScene
    robot_obs: Numbers | None = None
    scene_obs: Numbers | None = None

    @staticmethod
    def of_state(scene: TabletopScene, state: TabletopState) -> TabletopStart:
        """Return a symbolic state set up in a scene, as CALVIN's evaluation does it.

        Raises:
            InputError: A block is grasped.
        """
        return TabletopStart(scene, *concrete(state, scene))


class TabletopSimulator:
    """A table in PyBullet; close it when it is done with.

    Raises:
        MissingExtra: At the first reset: PyBullet is not installed.
    """

    def __init__(self) -> None:
        self._world: TabletopWorld | None = None
        self._renderer: TabletopRenderer | None = None
        self._event = Event(True, "")

    @property
    def world(self) -> TabletopWorld:
        """The physical table.

        Raises:
            RuntimeError: The simulator has not been reset to a start.
        """
        if self._world is None:
            raise RuntimeError("reset the simulator to a start first")
        return self._world

    def reset(self, scene: TabletopStart) -> Event:
        """Set the table up."""
        if self._world is None or self._world.scene != scene.scene:
            self.close()
            self._world = TabletopWorld(scene.scene)
        self._world.reset(scene.robot_obs, scene.scene_obs)
        self._event = Event(True, "")
        return self._event

    def step(self, action: SimulatorAction) -> Event:
        """Do a command for a thirtieth of a second; one of no known form fails and changes nothing."""
        try:
            self._event = self._step(action)
        except UsageError as error:
            self._event = Event(False, error.message)
        return self._event

    def _step(self, action: SimulatorAction) -> Event:
        if action.action != ACT:
            return Event(False, f"the table knows no action {action.action!r}, only {ACT!r}")
        command = action.arguments.get("command")
        if isinstance(command, str) or not isinstance(command, list | tuple | Mapping):
            return Event(False, f"{json.dumps(command)} is no command")
        self.world.step(command)
        return Event(True, "")

    def state(self) -> State:
        """Return the true atoms of the tabletop's domain."""
        return atoms_of(state_of_snapshot(self.world.snapshot(), self.world.scene))

    def observation(self) -> Observation:
        """Return what the static camera and the hand's see, with CALVIN's two vectors as metadata."""
        seen = self.world.observation()
        pictures = {name: partial(self._frame, name) for name in CAMERAS}
        vectors = {"robot_obs": seen.robot_obs.tolist(), "scene_obs": seen.scene_obs.tolist()}
        return Observation(self._event.error_message, pictures, vectors)

    def _frame(self, camera: str, size: int) -> Frame:
        world = self.world
        if self._renderer is None or self._renderer.scene != world.scene:
            self._renderer = TabletopRenderer(world.scene)
        now = world.observation()
        (frame,) = self._renderer.frames(now.robot_obs, now.scene_obs, (camera,), (size,))
        return frame

    def close(self) -> None:
        """Free the engine."""
        world, self._world = self._world, None
        if world is not None:
            world.close()


def state_of_snapshot(seen: Snapshot, scene: TabletopScene) -> TabletopState:
    """Return the symbolic state that a moment of the table is nearest to.

    A block that the robot alone touches is grasped; one that lies on another block is on top of a stack; else
    it is where the link that it touches belongs, or on the table.
    """
    joints = scene.joints
    left = seen.doors["base__slide"] > joints["base__slide"].high / 2
    drawer_open = seen.doors["base__drawer"] > joints["base__drawer"].high / 2
    places = {f"{colour}_block": _place(f"block_{colour}", seen, scene) for colour in COLOURS}
    tops = [name for name, place in places.items() if place in places]
    if len(tops) == 1:  # a tower of three is no state of the domain: its blocks are told to lie on the table
        places |= {places[tops[0]]: "stacked_bottom", tops[0]: "stacked_top"}
    else:
        places |= dict.fromkeys(tops, "table")
    return TabletopState(
        led=seen.lights["led"],
        lightbulb=seen.lights["lightbulb"],
        slider="left" if left else "right",
        drawer="open" if drawer_open else "closed",
        red_block=places["red_block"],
        blue_block=places["blue_block"],
        pink_block=places["pink_block"],
        grasped=int("grasped" in places.values()),
    )


def _place(name: str, seen: Snapshot, scene: TabletopScene) -> str:
    """Return a place of the domain, or the variable of the block that a block lies on."""
    block = seen.blocks[name]
    links = {link for body, link in block.contacts if body == "table"}
    below = [other for other, it in seen.blocks.items() if other in block.touches and _lies_on(block, it)]
    if below:
        return f"{below[0].removeprefix('block_')}_block"
    if ROBOT in block.touches and not links:
        return "grasped"
    if "drawer_link" in links:
        return "drawer"
    if "plank_link" in links:
        x = block.position[0]
        return min(scene.compartment_spots, key=lambda place: abs(scene.compartment_spots[place][0] - x))
    return "table"


def _lies_on(block: Block, other: Block) -> bool:
    """Whether a block is above another one that it touches, rather than beside it."""
    dx, dy, dz = (a - b for a, b in zip(block.position, other.position, strict=True))
    return dz > max(abs(dx), abs(dy))
