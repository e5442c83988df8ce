"""The tabletop in PyBullet: CALVIN's table, arm and blocks as physics, at 30 steps a second.

It takes calvin_env's actions and returns calvin_env's vectors, but consists of our own primitives. A process may
have any number of worlds: every call of the engine names its client.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from chorewright.errors import UsageError
from chorewright.problems.calvin.scenes import TabletopScene
from chorewright.replay.calvin import arm
from chorewright.replay.calvin.actions import CLOSED, OPEN, Action, ArmTarget, target_of
from chorewright.replay.calvin.engine import Bodies, load_bodies
from chorewright.replay.calvin.shapes import geometry
from chorewright.replay.calvin.snapshot import DOORS, JOINTS, Block, Contact, Quaternion, Snapshot, Vector, tasks_done

Array = npt.NDArray[np.float64]
Numbers = Sequence[float] | Array
Pose = tuple[Vector, Quaternion]

SUBSTEPS = 8
FRICTION = 4.0
"""Newtons with which a door, the drawer and the switch resist, and the button is held up."""
ROBOT_NUMBERS, SCENE_NUMBERS = 15, 24


@dataclass(frozen=True, slots=True, eq=False)
class TableObservation:
    """The state of the world in CALVIN's vectors.

    Attributes:
        robot_obs: (15,) tool position (3) and Euler angles (3), opening of the hand, seven joint angles, and
            the gripper's last command (-1 closed, 1 open).
        scene_obs: (24,) door, drawer, button, switch, bulb, LED, then position and Euler angles of each block
            in the scene's order.
    """

    robot_obs: Array
    scene_obs: Array


class TabletopWorld:
    """One table with its arm. Same start and same actions give the same bytes.

    Raises:
        MissingExtra: PyBullet is not installed.
    """

    def __init__(self, scene: TabletopScene) -> None:
        self.scene = scene
        self._bodies: Bodies = load_bodies(scene)
        self._bullet = self._bodies.bullet
        self._client = self._bodies.client
        self._force = geometry()["arm"]
        self._fresh = self._bullet.saveState(physicsClientId=self._client)
        self._target = ArmTarget(np.zeros(3), np.zeros(3))
        self._gripper = OPEN
        self._bulb = self._led = 0
        self._pressed = False
        self.reset()

    def reset(self, robot_obs: Numbers | None = None, scene_obs: Numbers | None = None) -> TableObservation:
        """Put the world into a state; by default the arm is at its start, everything is shut, and blocks are on
        their spots.

        As in calvin_env one substep follows, so that contacts are known.

        Raises:
            UsageError: A vector has the wrong length or is not finite.
        """
        robot = _vector("robot_obs", self.scene.robot_obs if robot_obs is None else robot_obs, ROBOT_NUMBERS)
        scene = _vector("scene_obs", start_of(self.scene) if scene_obs is None else scene_obs, SCENE_NUMBERS)
        self._bullet.restoreState(stateId=self._fresh, physicsClientId=self._client)
        # Pairs of bodies that touched are kept in their old order until they are parted; it decides last bits.
        self._bullet.performCollisionDetection(physicsClientId=self._client)
        self._bullet.restoreState(stateId=self._fresh, physicsClientId=self._client)
        self._reset_table(scene)
        self._reset_arm(robot)
        self._substep()
        position, angles = self._tool()
        self._target = ArmTarget(position, angles)
        return self.observation()

    def step(self, action: Action) -> TableObservation:
        """Do an action for a thirtieth of a second.

        Raises:
            UsageError: The action is none of those that ``actions`` describes.
        """
        measured = self._arm_joints()
        self._target, joints, self._gripper = target_of(action, self._target, measured)
        if joints is None:
            pose = (self._target.position, arm.rotation_from_euler(self._target.angles))
            joints = arm.joints_for(pose, measured, self.scene.robot_obs[7:14])
        self._move_joints(joints)
        self._move_fingers()
        for _ in range(SUBSTEPS):
            self._substep()
        self._switch_lights()
        return self.observation()

    def observation(self) -> TableObservation:
        """Return the present state."""
        position, angles = self._tool()
        opening = max(0.0, sum(self._joint(self._bodies.arm, finger) for finger in self._bodies.fingers))
        robot = [*position, *angles, opening, *self._arm_joints(), self._gripper]
        table = [self._opening(joint) for joint in JOINTS]
        blocks = [number for block in self.scene.blocks for number in self._block_numbers(block.name)]
        return TableObservation(
            np.array(robot, dtype=np.float64), np.array([*table, self._bulb, self._led, *blocks], dtype=np.float64)
        )

    def snapshot(self) -> Snapshot:
        """Return the snapshot of this moment for the detector."""
        blocks = {block.name: self._block(block.name) for block in self.scene.blocks}
        touched = self._contacts(self._bodies.arm)
        return Snapshot.of(map(self._opening, DOORS), (self._bulb, self._led), blocks, touched)

    def tasks_done(self, start: Snapshot, end: Snapshot, among: Iterable[str]) -> frozenset[str]:
        """Return which of some tasks the detector sees done between two snapshots."""
        return tasks_done(start, end, among)

    def close(self) -> None:
        """Free the engine's client; the world cannot be used afterwards."""
        if self._client >= 0:
            self._bullet.disconnect(physicsClientId=self._client)
            self._client = -1

    def __enter__(self) -> TabletopWorld:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _reset_table(self, scene: Array) -> None:
        for joint, value in zip(JOINTS, scene[:4], strict=True):
            self._set_joint(self._bodies.table, self._bodies.joints[joint], value)
            self._hold(joint)
        for block, pose in zip(self.scene.blocks, scene[6:].reshape(3, 6), strict=True):
            turn = self._bullet.getQuaternionFromEuler(pose[3:].tolist(), physicsClientId=self._client)
            self._bullet.resetBasePositionAndOrientation(
                self._bodies.blocks[block.name], pose[:3].tolist(), turn, physicsClientId=self._client
            )
        self._bulb, self._led = (round(float(light)) for light in scene[4:6])
        self._pressed = self._past_half("base__button")

    def _reset_arm(self, robot: Array) -> None:
        for number, angle in zip(self._bodies.arm_joints, robot[7:14], strict=True):
            self._set_joint(self._bodies.arm, number, angle)
        for finger in self._bodies.fingers:
            self._set_joint(self._bodies.arm, finger, robot[6] / 2)
        self._gripper = CLOSED if robot[14] < 0 else OPEN
        self._move_joints(robot[7:14])
        self._move_fingers()

    def _switch_lights(self) -> None:
        """The bulb burns while its switch is past half; the LED changes when the button passes half."""
        self._bulb = int(self._past_half("base__switch"))
        pressed = self._past_half("base__button")
        if pressed and not self._pressed:
            self._led = 1 - self._led
        self._pressed = pressed

    def _past_half(self, joint: str) -> bool:
        limits = self.scene.joints[joint]
        return self._opening(joint) > (limits.low + limits.high) / 2

    def _opening(self, joint: str) -> float:
        return self._joint(self._bodies.table, self._bodies.joints[joint])

    def _block(self, name: str) -> Block:
        body = self._bodies.blocks[name]
        position, orientation = self._base_pose(body)
        linear, angular = self._bullet.getBaseVelocity(body, physicsClientId=self._client)
        return Block(position, orientation, linear, angular, self._contacts(body))

    def _block_numbers(self, name: str) -> tuple[float, ...]:
        position, turn = self._base_pose(self._bodies.blocks[name])
        return (*position, *self._bullet.getEulerFromQuaternion(turn, physicsClientId=self._client))

    def _contacts(self, body: int) -> frozenset[Contact]:
        points = self._bullet.getContactPoints(bodyA=body, physicsClientId=self._client)
        names, links = self._bodies.names, self._bodies.links
        return frozenset((names[point[2]], links[point[2]][point[4]]) for point in points)

    def _tool(self) -> tuple[Array, Array]:
        state = self._bullet.getLinkState(self._bodies.arm, self._bodies.tool, physicsClientId=self._client)
        angles = self._bullet.getEulerFromQuaternion(state[1], physicsClientId=self._client)
        return np.array(state[0]), np.array(angles)

    def _arm_joints(self) -> Array:
        return np.array([self._joint(self._bodies.arm, number) for number in self._bodies.arm_joints])

    def _base_pose(self, body: int) -> Pose:
        position, turn = self._bullet.getBasePositionAndOrientation(body, physicsClientId=self._client)
        return position, turn

    def _joint(self, body: int, joint: int) -> float:
        return float(self._bullet.getJointState(body, joint, physicsClientId=self._client)[0])

    def _set_joint(self, body: int, joint: int, value: float) -> None:
        self._bullet.resetJointState(body, joint, float(value), physicsClientId=self._client)

    def _hold(self, joint: str) -> None:
        """Let a joint of the table resist motion; the button is driven back up."""
        number = self._bodies.joints[joint]
        if joint == "base__button":
            self._drive(self._bodies.table, number, 0.0, FRICTION, None)
            return
        self._bullet.setJointMotorControl2(
            self._bodies.table,
            number,
            controlMode=self._bullet.VELOCITY_CONTROL,
            force=FRICTION,
            physicsClientId=self._client,
        )

    def _move_joints(self, joints: Array) -> None:
        for number, angle in zip(self._bodies.arm_joints, joints, strict=True):
            self._drive(self._bodies.arm, number, float(angle), self._force["force"], self._force["speed"])

    def _move_fingers(self) -> None:
        opened = self._gripper == OPEN
        force = self._force["open_force" if opened else "grip_force"]
        for finger in self._bodies.fingers:
            opening = self._force["opening"] if opened else 0.0
            self._drive(self._bodies.arm, finger, opening, force, self._force["grip_speed"])

    def _drive(self, body: int, joint: int, to: float, force: float, speed: float | None) -> None:
        fastest = {} if speed is None else {"maxVelocity": speed}
        self._bullet.setJointMotorControl2(
            body,
            joint,
            controlMode=self._bullet.POSITION_CONTROL,
            targetPosition=to,
            force=force,
            physicsClientId=self._client,
            **fastest,
        )

    def _substep(self) -> None:
        self._bullet.stepSimulation(physicsClientId=self._client)


def start_of(scene: TabletopScene) -> Array:
    """Return a scene's ``scene_obs`` with everything shut and off, two blocks on the table and one on the shelf."""
    places = (*scene.table_spots, scene.compartment_spots["slider_right"])
    poses = [number for place in places for number in (*place, 0.0, 0.0, np.pi / 2)]
    return np.array([0.0] * 6 + poses)


def _vector(name: str, numbers: Numbers, length: int) -> Array:
    try:
        values = np.asarray(numbers, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{name} must consist of numbers") from error
    if values.shape != (length,) or not np.isfinite(values).all():
        raise UsageError(f"{name} must be {length} finite numbers")
    return values
