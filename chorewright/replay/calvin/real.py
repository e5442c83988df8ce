"""CALVIN's own environment, from a user's checkout, behind the interface of our tabletop world.

The expert, the recorder and the evaluation drive it like ours. Its own oracle decides whether a task is done.
Nothing of calvin_env is shipped: its tables are meshes, and Hydra composes its configuration.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import gc
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from chorewright.errors import InputError, Location, MissingExtra, UsageError
from chorewright.files.processes import redirect_descriptor
from chorewright.problems.calvin.scenes import TabletopScene
from chorewright.replay.calvin.actions import Action
from chorewright.replay.calvin.motion import Tabletop
from chorewright.replay.calvin.snapshot import Snapshot, from_calvin_env
from chorewright.replay.calvin.world import TableObservation, TabletopWorld

Numbers = Sequence[float] | npt.NDArray[np.float64]

PARTS = ("calvin_env/envs/play_table_env.py", "calvin_env/envs/tasks.py", "conf/config_data_collection.yaml")
"""What a checkout has; looked at before anything of it is imported."""
CONFIGURATION = "config_data_collection"
STDOUT, STDERR = 1, 2
NEEDED = "hydra-core omegaconf hydra-colorlog gym opencv-python-headless scipy GitPython numpy-quaternion numba"


@dataclass(frozen=True, slots=True)
class RealSnapshot(Snapshot):
    """A snapshot of calvin_env, with the ``info`` that its oracle judges."""

    info: Mapping[str, object]


def check_checkout(path: Path) -> Path:
    """Return the folder of a checkout of calvin_env, resolved.

    Raises:
        InputError: It is not one; the error names what is missing.
    """
    for part in PARTS:
        if not (path / part).is_file():
            hint = "give the folder of a checkout of github.com/mees/calvin_env, the one that holds 'conf'"
            raise InputError(
                f"this is not a checkout of calvin_env: it has no {part}", location=Location(path=str(path)), hint=hint
            )
    return path.resolve()


def tabletop(scene: TabletopScene, calvin_env: Path | None = None) -> Tabletop:
    """Return our world of a scene, or that of a checkout of calvin_env.

    Raises:
        InputError: The path is not a checkout, or it cannot be set up.
        MissingExtra: PyBullet or a package that calvin_env needs is not installed.
    """
    return TabletopWorld(scene) if calvin_env is None else CalvinEnvWorld(scene, calvin_env)


class CalvinEnvWorld:
    """One table of calvin_env, without cameras. calvin_env allows one in a process at a time.

    Raises:
        InputError: The path is not a checkout, or its environment cannot be set up.
        MissingExtra: A package that calvin_env needs is not installed.
        UsageError: This process has loaded another checkout.
    """

    def __init__(self, scene: TabletopScene, checkout: Path) -> None:
        self.scene = scene
        self._root = check_checkout(checkout)
        self._environment, self._oracle = _environment(self._root, scene)
        _OPEN[id(self)] = self
        self._info: Mapping[str, object] = {}
        self._seen = self.reset()

    def reset(self, robot_obs: Numbers | None = None, scene_obs: Numbers | None = None) -> TableObservation:
        """Put the environment into a state; without one, into its own initial state."""
        states = {
            name: np.array(values, dtype=np.float64)
            for name, values in (("robot_obs", robot_obs), ("scene_obs", scene_obs))
            if values is not None
        }
        with _quiet():
            seen = self._environment.reset(**states)
            self._info = self._environment.get_info()
        self._seen = _observation(seen)
        return self._seen

    def step(self, action: Action) -> TableObservation:
        """Do an action for a thirtieth of a second."""
        with _quiet():
            seen, _, _, self._info = self._environment.step(_take(action))
        self._seen = _observation(seen)
        return self._seen

    def observation(self) -> TableObservation:
        """Return the present state."""
        return self._seen

    def snapshot(self) -> RealSnapshot:
        """Return the snapshot of this moment for our detector, with the ``info`` for calvin_env's oracle."""
        plain = from_calvin_env(self._info)
        return RealSnapshot(plain.doors, plain.lights, plain.blocks, plain.robot_contacts, self._info)

    def tasks_done(self, start: Snapshot, end: Snapshot, among: Iterable[str]) -> frozenset[str]:
        """Return the tasks that calvin_env's oracle sees done between two snapshots of this world."""
        if not isinstance(start, RealSnapshot) or not isinstance(end, RealSnapshot):
            raise UsageError("calvin_env's oracle judges snapshots of calvin_env only")
        return frozenset(self._oracle.get_task_info_for_set(start.info, end.info, set(among)))

    def close(self) -> None:
        """Free the environment; the world cannot be used afterwards."""
        _OPEN.pop(id(self), None)
        environment, self._environment = self._environment, None
        if environment is None:
            return
        with _quiet():
            environment.close()
            environment.ownsPhysicsClient = False  # its __del__ closes again what is still its own
            del environment
            gc.collect()


_OPEN: dict[int, CalvinEnvWorld] = {}
"""The worlds of this process that nobody has closed yet."""


@atexit.register
def _end() -> None:
    """Close what is left, and keep from stdout what C code has to say when the process ends."""
    if not _OPEN:
        return
    for world in tuple(_OPEN.values()):
        world.close()
    _flush()
    with contextlib.suppress(OSError):  # one of the two is closed: nothing can be said
        os.dup2(STDERR, STDOUT)


def _environment(root: Path, scene: TabletopScene) -> tuple[Any, Any]:
    """The environment and its oracle."""
    _put_first(root)
    os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")  # else GitPython is not imported where there is no git
    try:
        hydra = import_module("hydra")
        instance = import_module("hydra.core.global_hydra").GlobalHydra.instance()
        module = import_module("calvin_env.envs.play_table_env")
    except ImportError as error:
        hint = f"pip install {NEEDED}"
        raise MissingExtra(f"calvin_env cannot be imported: {error}", hint=hint) from error
    names = vars(module)
    names["get_git_commit_hash"] = _commit_if_any(names.get("get_git_commit_hash"))
    settings = ["use_vr=false", "env.use_egl=false", "cameras=no_cameras", f"scene={scene.full_name}", "data_path=data"]
    instance.clear()
    try:
        with _quiet(), hydra.initialize_config_dir(config_dir=str(root / "conf"), version_base=None):
            configuration = hydra.compose(CONFIGURATION, overrides=settings)
            instantiate = import_module("hydra.utils").instantiate
            environment = instantiate(configuration.env, show_gui=False, use_vr=False, use_scene_info=True)
            return environment, instantiate(configuration.tasks)
    except Exception as error:  # whatever Hydra, PyBullet and calvin_env raise, the user is told
        raise InputError(
            f"calvin_env cannot set up {scene.full_name}: {type(error).__name__}: {error}",
            location=Location(path=str(root)),
            hint="does its own 'python -m calvin_env.envs.play_table_env' run?",
        ) from error


def _commit_if_any(commit: Callable[[Path], str] | None) -> Callable[[Path], str]:
    """Ask for calvin_env's commit, which it only logs, without dying where there is none.

    A copy has no history, a repository around it may have no commit, or git refuses a folder of another user.
    """

    def asked(path: Path) -> str:
        try:
            return "unknown" if commit is None else commit(path)
        except Exception:  # whatever GitPython raises
            return "unknown"

    return asked


def _put_first(root: Path) -> None:
    loaded = sys.modules.get("calvin_env")
    where = getattr(loaded, "__file__", None)
    if where is not None and root not in Path(where).resolve().parents:
        raise UsageError(f"this process has loaded calvin_env from {Path(where).parent}", hint="begin anew")
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))


def _take(action: Action) -> object:
    """The action as calvin_env wants it, and as a copy, for it scales relative ones where they are."""
    if isinstance(action, Mapping):
        return {**action, "action": np.array(action["action"], dtype=np.float64)}
    if len(action) == 3:
        position, turn, gripper = action
        return np.array(position, np.float64), np.array(turn, np.float64), int(np.asarray(gripper).item())
    return np.array(action, dtype=np.float64)


def _observation(seen: Mapping[str, object]) -> TableObservation:
    robot, scene = (np.array(seen[name], dtype=np.float64) for name in ("robot_obs", "scene_obs"))
    return TableObservation(robot, scene)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Send to stderr what calvin_env and the C code beneath it print, for stdout is for results.

    C code writes to the file descriptor itself, some of it when its buffer is flushed.
    """
    _flush()
    with redirect_descriptor(STDOUT, STDERR):
        try:
            with contextlib.redirect_stdout(sys.stderr):
                yield
        finally:
            _flush()


def _flush() -> None:
    """Write out what Python and C hold back for stdout."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError, ValueError):  # it is none, or closed
            stream.flush()
    ctypes.CDLL(None).fflush(None)
